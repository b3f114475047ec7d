import { useSignal } from '@preact/signals'
import type { Call } from '../../../api/client.ts'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { shownNumber } from '../../../components/formats.ts'
import { Icon } from '../../../components/icon.tsx'
import { decidingTexts } from '../../../messages/import/texts.ts'
import type { Task } from '../types.ts'
import type { Broken } from './dry-run.ts'

/** A load that its limits have stopped: which, what was measured, and the way through for who finds the data right. */
export function Stopped({ path, task, act }: { path: string; task: Task; act(call: Call): Promise<void> }) {
  const texts = decidingTexts.value
  const isBusy = useSignal(false)
  const { stopped = [], state } = task
  if (stopped.length === 0 || state !== 'ERROR') return null
  const accept: Call = {
    method: 'POST',
    path: `${path}/accept`,
    body: { stopped: stopped.map(({ rule }) => rule) },
  }
  const send = async (): Promise<void> => {
    isBusy.value = true
    await act(accept)
    isBusy.value = false
  }
  return (
    <section class="panel" aria-label={texts.stopped}>
      <header>
        <h2>{texts.stopped}</h2>
        <CopyAsCurl call={accept} />
      </header>
      <div class="body stack">
        <BrokenLimits stopped={stopped} />
        <p>{texts.stoppedHint}</p>
        <p>
          <button type="button" class="btn danger" disabled={isBusy.value} onClick={() => void send()}>
            <Icon name="check" />
            {texts.accept}
          </button>
        </p>
      </div>
    </section>
  )
}

/** Limits with what was measured. */
export function BrokenLimits({ stopped }: { stopped: readonly Broken[] }) {
  return (
    <ul class="stack s2">
      {stopped.map((one) => (
        <li key={one.rule} class="st bad broken">
          <Icon name="ban" />
          <span dir="auto">{brokenText(one)}</span>
        </li>
      ))}
    </ul>
  )
}

/** A limit, and the figure that broke it. */
function brokenText({ rule, limit, measured }: Broken): string {
  const texts = decidingTexts.value
  const name = texts.rules(rule)
  const reported = [
    limit === undefined ? '' : texts.limitIs(figure(limit)),
    measured === undefined ? '' : texts.measured(figure(measured)),
  ].filter((text) => text !== '')
  return `${name}: ${reported.join(', ')}`
}

const maxDetail = 400

/** Formats rows and shares; other values as sent by the server. */
function figure(value: unknown): string {
  const texts = decidingTexts.value
  if (typeof value === 'number') return shownNumber(value)
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const parts = Object.entries(value).map(([name, one]) =>
      name === 'percent' && typeof one === 'number'
        ? `${shownNumber(one)} %`
        : name === 'rows' && typeof one === 'number'
          ? texts.rows(one)
          : `${name} ${figure(one)}`,
    )
    return parts.join(', ').slice(0, maxDetail)
  }
  return String(JSON.stringify(value)).slice(0, maxDetail)
}
