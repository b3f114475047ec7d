import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { togetherTexts } from '../../../messages/import/texts.ts'
import type { Task } from '../types.ts'
import { candidatesOf, hasCode } from './problems.ts'
import { changesOf, type ProblemProps, SendAll } from './send-all.tsx'

const maxCandidates = 5
const bestOfEach = 'best'

/** One CRS for all layers: a candidate, or the best one for each. */
export function ChooseCrs(props: ProblemProps) {
  const texts = togetherTexts.value
  const { tasks } = props.problem
  const group = useId()
  const found = candidatesOf(tasks)
  const chosen = useSignal<string | undefined>(undefined)
  const typed = useSignal('')
  const srs = typed.value.trim() || (chosen.value ?? found[0]?.candidate.srs)
  const srsOf = ({ layer }: Task): string | undefined =>
    srs === bestOfEach ? layer?.srsCandidates?.find(hasCode)?.srs : srs
  const changes = changesOf(
    props.importId,
    tasks.filter((task) => srsOf(task) !== undefined),
    (task) => ({ layer: { srs: srsOf(task) } }),
  )
  const choice = (value: string, label: string, fits?: string) => (
    <label key={value} class="check">
      <input
        type="radio"
        name={group}
        checked={typed.value.trim() === '' && srs === value}
        onChange={() => {
          typed.value = ''
          chosen.value = value
        }}
      />
      <span>
        <b>{label}</b> {value !== bestOfEach && <span class="mono">{value}</span>}{' '}
        {fits !== undefined && <small class="dim">{fits}</small>}
      </span>
    </label>
  )
  return (
    <div class="stack s2">
      <div class="stack s2" role="radiogroup" aria-label={texts.problem.crs(tasks.length)}>
        {found
          .slice(0, maxCandidates)
          .map(({ candidate, fits }) =>
            choice(candidate.srs, candidate.name, texts.fits(fits, tasks.length)),
          )}
        {found.length > 1 && choice(bestOfEach, texts.bestOfEach)}
      </div>
      <label class="field short">
        <span class="lbl">{texts.otherCrs}</span>
        <input
          class="in mono"
          placeholder="EPSG:25832"
          maxLength={100}
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value
          }}
        />
      </label>
      <SendAll {...props} label={texts.takeCrs(changes.length)} changes={changes} />
    </div>
  )
}

/** One key column for all layers. */
export function ChooseKey(props: ProblemProps) {
  const texts = togetherTexts.value
  const { tasks } = props.problem
  const shared = sharedColumns(tasks)
  const chosen = useSignal<string | undefined>(undefined)
  const key = chosen.value ?? shared[0]
  if (key === undefined) return <p class="dim">{texts.noCommonColumn}</p>
  return (
    <div class="stack s2">
      <label class="field short">
        <span class="lbl">{texts.keyOfAll}</span>
        <select
          class="in"
          value={key}
          onChange={({ currentTarget }) => {
            chosen.value = currentTarget.value
          }}
        >
          {shared.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <SendAll
        {...props}
        label={texts.takeKey(tasks.length)}
        changes={changesOf(props.importId, tasks, () => ({ keys: [key] }))}
      />
    </div>
  )
}

function sharedColumns([first, ...others]: readonly Task[]): string[] {
  const namesOf = ({ layer }: Task): string[] =>
    (layer?.attributes ?? []).flatMap(({ name, source }) => (source === undefined ? [] : [name]))
  const sets = others.map((task) => new Set(namesOf(task)))
  return first === undefined ? [] : namesOf(first).filter((name) => sets.every((set) => set.has(name)))
}

/** Maximum number of rejected rows per layer. */
export function ChooseRejectLimit(props: ProblemProps) {
  const texts = togetherTexts.value
  const { tasks } = props.problem
  const limit = useSignal('100%')
  const changes = changesOf(props.importId, limit.value.trim() === '' ? [] : tasks, () => ({
    rejectLimit: limit.value.trim(),
  }))
  return (
    <div class="stack s2">
      <label class="field short">
        <span class="lbl">{texts.mayBeSetAside}</span>
        <input
          class="in"
          maxLength={12}
          value={limit.value}
          onInput={({ currentTarget }) => {
            limit.value = currentTarget.value
          }}
        />
      </label>
      <SendAll {...props} label={texts.takeLimit(tasks.length)} changes={changes} />
    </div>
  )
}
