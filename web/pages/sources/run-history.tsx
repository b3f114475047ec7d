import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { shownLeft, shownMoment, shownNumber } from '../../components/formats.ts'
import { Failed, Loading } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { OutcomeMark } from './state-mark.tsx'
import { type Run, shownOutcome, sourcePath } from './types.ts'

const firstShown = 20
const maxShown = 1000
const movingMs = 1000

interface RunHistoryProps {
  name: string
  /** The latest run: when it changes, the history is loaded again. */
  last: Run | null
}

/** The runs of a source, newest first. */
export function RunHistory({ name, last }: RunHistoryProps) {
  const texts = sourceTexts.value
  const [limit, setLimit] = useState(firstShown)
  const requested = { path: `${sourcePath(name)}/runs`, query: { limit: limit + 1 } }
  const answer = useAnswer(
    JSON.stringify([requested, last]),
    async (signal) => (await call<{ runs: Run[] }>(requested, signal)).runs,
    name,
  )
  const { value, error } = answer.state.value
  const isMoving = value?.some(({ outcome }) => outcome === null) ?? false
  useEffect(() => {
    if (!isMoving) return undefined
    const timer = setInterval(() => void answer.load(), movingMs)
    return () => clearInterval(timer)
  }, [answer, isMoving])
  return (
    <section class="panel" aria-label={texts.history}>
      <header>
        <h2>{texts.history}</h2>
      </header>
      {error !== undefined && <Failed error={error} onAgain={() => void answer.load()} />}
      {value === undefined && error === undefined && <Loading />}
      {value?.length === 0 && <p class="body dim">{texts.noRuns}</p>}
      {value !== undefined && value.length > 0 && <Table runs={value.slice(0, limit)} />}
      {value !== undefined && value.length > limit && limit < maxShown && (
        <footer>
          <button type="button" class="btn sm" onClick={() => setLimit(Math.min(limit * 5, maxShown - 1))}>
            {texts.older}
          </button>
        </footer>
      )}
    </section>
  )
}

function Table({ runs }: { runs: readonly Run[] }) {
  const texts = sourceTexts.value
  const heads = [texts.startedAt, texts.outcome, texts.duration, texts.rows, texts.changed, texts.more]
  return (
    <div class="scroll">
      <table class="rowcards runs">
        <thead>
          <tr>
            {heads.map((one) => (
              <th key={one} scope="col" class={one === texts.rows || one === texts.duration ? 'num' : ''}>
                {one}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Row key={run.id} {...run} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row(run: Run) {
  const texts = sourceTexts.value
  const { trigger, due, started, rows, message, notes = [], attempts, nextAttempt, acceptedBy } = run
  const details = [
    ...(attempts > 1 ? [texts.attempts(attempts)] : []),
    ...(nextAttempt === undefined ? [] : [texts.nextAttempt(shownMoment(new Date(nextAttempt)))]),
    ...(acceptedBy === undefined ? [] : [texts.acceptedBy(acceptedBy)]),
  ]
  return (
    <tr>
      <td class="nowrap" data-l={texts.startedAt}>
        {shownMoment(new Date(started ?? due))}
        <div class="dim small">{texts.triggers(trigger)}</div>
      </td>
      <td data-l={texts.outcome}>
        <OutcomeMark outcome={shownOutcome(run)} />
        {details.length > 0 && <div class="dim small">{details.join(', ')}</div>}
      </td>
      <td class="num nowrap" data-l={texts.duration}>
        {durationText(run)}
      </td>
      <td class="num" data-l={texts.rows}>
        {rows === null ? '–' : shownNumber(rows)}
      </td>
      <td data-l={texts.changed}>
        <Changes {...run} />
      </td>
      <td>
        {[message, ...notes]
          .filter((text) => text !== null)
          .map((text) => (
            <p key={text} class="small about" dir="auto">
              {text}
            </p>
          ))}
        <Links {...run} />
      </td>
    </tr>
  )
}

function durationText({ started, ended }: Run): string {
  if (started === null || ended === null) return '–'
  return shownLeft((Date.parse(ended) - Date.parse(started)) / 1000)
}

function Changes({ changes }: Run) {
  if (changes === null) return <>–</>
  const { added, changed, removed } = changes
  return (
    <span class="signs" title={sourceTexts.value.changes(added, changed, removed)}>
      <b class="add">+{shownNumber(added)}</b>{' '}
      {changed !== null && <b class="chg">~{shownNumber(changed)}</b>}{' '}
      <b class="del">−{shownNumber(removed)}</b>
    </span>
  )
}

/** Links to the difference of each layer on the map, and to the import. */
function Links({ layers, import: made }: Run) {
  const texts = sourceTexts.value
  const compared = layers.filter(({ version }) => version > 1).slice(0, 3)
  if (compared.length === 0 && made === null) return null
  return (
    <div class="row wrap small">
      {compared.map(({ name, version }) => (
        <a
          key={name}
          aria-label={texts.differenceOf(name, version)}
          href={addressOf(`/app/layers/${encodeURIComponent(name)}?from=${version - 1}&to=${version}`)}
        >
          {compared.length === 1 ? texts.difference : texts.differenceOf(name, version)}
        </a>
      ))}
      {made !== null && <a href={addressOf(`/app/imports/${made.id}`)}>{texts.importOf(made.id)}</a>}
    </div>
  )
}
