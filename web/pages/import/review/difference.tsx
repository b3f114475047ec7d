import { useContext } from 'preact/hooks'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { shownNumber } from '../../../components/formats.ts'
import { Icon } from '../../../components/icon.tsx'
import { reasonOf } from '../../../components/states.tsx'
import { decidingTexts, importTexts } from '../../../messages/import/texts.ts'
import { HowFar } from '../progress/how-far.tsx'
import type { Task } from '../types.ts'
import { useAct } from '../use-act.ts'
import { ChangesOnMap } from './changes-on-map.tsx'
import { DryRunContext, type DryRunTask, dryRunPath, performDryRun } from './dry-run.ts'
import { BrokenLimits } from './stopped.tsx'

interface DifferenceProps {
  importId: number
  task: Task
  reload(): Promise<void>
}

/** Result of a dry run: changes of the layer before anything is committed. */
export function Difference({ importId, task, reload }: DifferenceProps) {
  const texts = decidingTexts.value
  const dryRun = useContext(DryRunContext)
  const { act, error } = useAct(reload)
  const isRunning = dryRun?.state === 'RUNNING'
  const found = dryRun?.tasks.find((one) => one.task === task.id)
  const canTry = ['READY', 'ERROR', 'CANCELED'].includes(task.state)
  if (!isRunning && !canTry) return null
  return (
    <section class="panel difference" aria-label={texts.difference}>
      <header>
        <h2>{texts.difference}</h2>
        <CopyAsCurl call={performDryRun(importId)} />
        {isRunning ? (
          <button
            type="button"
            class="btn danger"
            onClick={() => void act({ method: 'DELETE', path: dryRunPath(importId) })}
          >
            {importTexts.value.cancel}
          </button>
        ) : (
          <button type="button" class="btn" onClick={() => void act(performDryRun(importId))}>
            <Icon name="play" />
            {found === undefined ? texts.tryIt : texts.tryAgain}
          </button>
        )}
      </header>
      <div class="body stack">
        {error.value !== undefined && (
          <p class="err" role="alert" dir="auto">
            {reasonOf(error.value)}
          </p>
        )}
        {isRunning && <HowFar importId={importId} task={task} isDryRun />}
        {!isRunning && found === undefined && <p class="dim">{texts.tryHint}</p>}
        {!isRunning && found !== undefined && <Found importId={importId} found={found} />}
      </div>
    </section>
  )
}

function Found({ importId, found }: { importId: number; found: DryRunTask }) {
  const texts = decidingTexts.value
  const { rows, changes, stopped, changesHref } = found
  return (
    <>
      {stopped.length > 0 && (
        <div class="note bad">
          <div>
            <b>{texts.wouldStop}</b>
            <BrokenLimits stopped={stopped} />
          </div>
        </div>
      )}
      {changes !== undefined && <Figures changes={changes} />}
      <p dir="auto">
        {texts.wouldRead(rows.read, rows.load, rows.rejected)}{' '}
        {changes !== undefined &&
          changes.matchedBy.length > 0 &&
          texts.matchedBy(changes.matchedBy.join(', '))}
        {changes?.changed === null && texts.noMatch}
      </p>
      <Asides found={found} />
      {changesHref !== undefined && <ChangesOnMap key={changesHref} importId={importId} found={found} />}
    </>
  )
}

function Figures({ changes }: { changes: NonNullable<DryRunTask['changes']> }) {
  const texts = decidingTexts.value
  const { added, changed, removed, same } = changes
  return (
    <div class="diff">
      <Figure sign="add" glyph="+" word={texts.added} value={added} />
      <Figure sign="chg" glyph="~" word={texts.changed} value={changed} />
      <Figure sign="del" glyph="−" word={texts.removed} value={removed} />
      <Figure word={texts.same} value={same} />
    </div>
  )
}

interface FigureProps {
  sign?: 'add' | 'chg' | 'del'
  glyph?: string
  word: string
  value: number | null
}

function Figure({ sign, glyph, word, value }: FigureProps) {
  return (
    <div>
      <span>
        {sign !== undefined && (
          <i class={`gl ${sign}`} aria-hidden="true">
            {glyph}
          </i>
        )}
        {word}
      </span>
      <b>{value === null ? '–' : shownNumber(value)}</b>
    </div>
  )
}

const maxExamples = 3

/** Columns, geometries, rejections, and effects that a dry run cannot predict. */
function Asides({ found }: { found: DryRunTask }) {
  const texts = decidingTexts.value
  const { columns, geometry, rejects, notTried, crs, messages } = found
  return (
    <ul class="asides">
      {columns.map(({ name, change, from, to }) => (
        <li key={`${change} ${name}`}>
          <Icon name="table" />
          <span dir="auto">{texts.column(change, name, from, to)}</span>
        </li>
      ))}
      {geometry !== undefined && geometry.repaired + geometry.invalid + geometry.empty > 0 && (
        <li>
          <Icon name="poly" />
          <span>{texts.geometry(geometry)}</span>
        </li>
      )}
      {crs !== undefined && (
        <li>
          <Icon name="globe" />
          <span dir="auto">{crs.evidence}</span>
        </li>
      )}
      {rejects.map(({ code, field, reason, count, rows }) => (
        <li key={`${code} ${field ?? ''} ${reason}`} class="warnline">
          <Icon name="warn" />
          <span dir="auto">
            {texts.rejects(count, field, reason)}{' '}
            {rows.slice(0, maxExamples).map(({ row, value }) => (
              <span key={row} class="example">
                {texts.example(row, value === undefined ? undefined : String(value))}
              </span>
            ))}
          </span>
        </li>
      ))}
      {notTried.map((text) => (
        <li key={text}>
          <Icon name="info" />
          <span dir="auto">{texts.notTried(text)}</span>
        </li>
      ))}
      {messages.map(({ message }, index) => (
        <li key={`${index}`}>
          <Icon name="info" />
          <span dir="auto">{message}</span>
        </li>
      ))}
    </ul>
  )
}
