import { shownMoment } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { addressOf } from '../../lib/base.ts'
import { auditTexts } from '../../messages/audit/texts.ts'
import type { AuditEntry } from './audit-entries.ts'

/** Entries of the audit log, with the states before and after. */
export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  const texts = auditTexts.value
  return (
    <section class="panel scroll" aria-label={texts.entries}>
      <table class="rowcards audit">
        <thead>
          <tr>
            <th>{texts.time}</th>
            <th>{texts.who}</th>
            <th>{texts.action}</th>
            <th>{texts.what}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry, at) => (
            <Row key={`${entry.time} ${entry.request} ${at}`} {...entry} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row(entry: AuditEntry) {
  const texts = auditTexts.value
  const { time, user, via, address, action, outcome, resource } = entry
  const who = user ?? (via === 'system' ? texts.server : texts.anonymous)
  return (
    <tr>
      <td class="nowrap">
        <time dateTime={time}>{shownMoment(new Date(time))}</time>
      </td>
      <td data-l={texts.who}>
        <b dir="auto">{who}</b>
        <span class="dim small from">
          {[texts.vias[via] ?? via, address].filter((one) => one !== null).join(', ')}
        </span>
      </td>
      <td data-l={texts.action}>
        <code>{action}</code> {outcome !== 'done' && <Outcome outcome={outcome} />}
      </td>
      <td data-l={texts.what}>
        {resource !== null && <Resource text={resource} />}
        <Details entry={entry} />
      </td>
    </tr>
  )
}

function Outcome({ outcome }: Pick<AuditEntry, 'outcome'>) {
  return (
    <span class={`tag ${outcome === 'refused' ? 'warn' : 'bad'}`}>
      <Icon name={outcome === 'refused' ? 'ban' : 'bad'} />
      {auditTexts.value.outcomes[outcome]}
    </span>
  )
}

/** A layer is a link to its page. */
function Resource({ text }: { text: string }) {
  return /^[^/:]+:[^/]+$/.test(text) ? (
    <a dir="auto" href={addressOf(`/app/layers/${encodeURIComponent(text)}`)}>
      {text}
    </a>
  ) : (
    <span dir="auto">{text}</span>
  )
}

function Details({ entry }: { entry: AuditEntry }) {
  const texts = auditTexts.value
  const { time, before, after, request } = entry
  return (
    <details>
      <summary>
        {texts.details}
        <span class="vh">
          {' '}
          {entry.action} {time}
        </span>
      </summary>
      <dl class="kv">
        <dt>{texts.exactTime}</dt>
        <dd class="mono">{time}</dd>
        {request !== null && (
          <>
            <dt>{texts.request}</dt>
            <dd class="mono">{request}</dd>
          </>
        )}
      </dl>
      <State label={texts.before} value={before} />
      <State label={texts.after} value={after} />
    </details>
  )
}

function State({ label, value }: { label: string; value: unknown }) {
  if (value === null || value === undefined) return null
  return (
    <div class="audit-state">
      <span class="lbl">{label}</span>
      <pre class="code">{JSON.stringify(value, null, 2)}</pre>
    </div>
  )
}
