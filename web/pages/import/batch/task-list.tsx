import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../../../components/icon.tsx'
import { query, setQuery } from '../../../lib/router.ts'
import { drawnRows } from '../../../lib/window-rows.ts'
import { batchTexts, importTexts, togetherTexts } from '../../../messages/import/texts.ts'
import type { Task } from '../types.ts'
import { allTasks, isOfView, nameOf, type View, views } from './views.ts'

const rowHeight = 60
const fewTasks = 12
const beyond = 6
const maxHeight = 8_000_000
const endedIcon = new Map([
  ['COMPLETE', 'ok'],
  ['READY', 'ok'],
  ['ERROR', 'bad'],
  ['BAD_FORMAT', 'bad'],
  ['CANCELED', 'ban'],
  ['RUNNING', 'clock'],
])

interface FoundListProps {
  tasks: readonly Task[]
  chosen: Task | undefined
  view: View
  /** Those of all that are listed. */
  shown: readonly Task[]
  /** True if all layers are reviewed together. */
  isTogether: boolean
  /** The problem whose layers alone are listed. */
  why: { tasks: readonly Task[] } | undefined
}

/** True for too many layers to review one by one. */
export function isLongBatch(tasks: readonly Task[]): boolean {
  return tasks.length > fewTasks
}

/** List of detected layers with their states: all, or those that need input; J and K move between them. */
export function FoundList({ tasks, chosen, isTogether, view, shown, why }: FoundListProps) {
  const texts = batchTexts.value
  const at = chosen === undefined ? -1 : shown.indexOf(chosen)
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const by = { j: 1, k: -1 }[event.key]
      if (by === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const next = shown[Math.min(shown.length - 1, Math.max(0, at + by))]
      if (next !== undefined) setQuery({ task: String(next.id) })
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [shown, at])
  return (
    <>
      {tasks.length > 1 && (
        <div class="sec narrowing">
          <fieldset class="seg wraps">
            <legend class="vh">{texts.shownLayers}</legend>
            {views.flatMap((one) => {
              const count = tasks.filter((task) => isOfView(task, one)).length
              if (count === 0 && one !== 'all' && one !== view) return []
              return [
                <button
                  key={one}
                  type="button"
                  aria-pressed={one === view}
                  onClick={() => setQuery({ show: one === 'all' ? undefined : one })}
                >
                  {texts.views[one](count)}
                </button>,
              ]
            })}
          </fieldset>
          {tasks.length > fewTasks && (
            <input
              class="in"
              type="search"
              aria-label={texts.search}
              placeholder={texts.search}
              defaultValue={query.value.get('q') ?? ''}
              onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
            />
          )}
        </div>
      )}
      {tasks.length > 1 && <AllOfThem count={tasks.length} isChosen={isTogether} />}
      {why !== undefined && (
        <p class="sec">
          <button type="button" class="btn sm" onClick={() => setQuery({ why: undefined })}>
            <Icon name="x" />
            {togetherTexts.value.notOnly}
          </button>
        </p>
      )}
      {shown.length > fewTasks ? (
        <LongList shown={shown} chosen={chosen} at={at} />
      ) : (
        <ul class="found">
          {shown.map((one) => (
            <FoundLayer key={one.id} task={one} isChosen={one === chosen} />
          ))}
        </ul>
      )}
      {shown.length === 0 && tasks.length > 0 && <p class="sec dim">{texts.noneShown}</p>}
      {tasks.length > 1 && <p class="sec dim keyhint">{texts.keysHint}</p>}
    </>
  )
}

/** Leads to choices for all. */
function AllOfThem({ count, isChosen }: { count: number; isChosen: boolean }) {
  const texts = togetherTexts.value
  return (
    <div class="found allofthem">
      <button
        type="button"
        aria-current={isChosen ? 'true' : undefined}
        onClick={() => setQuery({ task: allTasks }, { isReplaced: false })}
      >
        <Icon name="layers" />
        <b>{texts.entry(count)}</b>
        <small>{texts.entryHint}</small>
      </button>
    </div>
  )
}

/** Draws the visible rows of many layers; scrolls to the selected one. */
function LongList({ shown, chosen, at }: Pick<FoundListProps, 'shown' | 'chosen'> & { at: number }) {
  const element = useRef<HTMLElement>(null)
  const [scrolled, setScrolled] = useState(0)
  const [height, setHeight] = useState(600)
  useEffect(() => {
    const box = element.current
    if (box === null) return undefined
    const sizes = new ResizeObserver(() => setHeight(box.clientHeight))
    sizes.observe(box)
    return () => sizes.disconnect()
  }, [])
  useEffect(() => {
    const box = element.current
    if (box === null || at < 0) return
    const top = at * rowHeight
    if (top < box.scrollTop) box.scrollTop = top
    if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight
  }, [at])
  const { first, end, before, behind } = drawnRows({
    rows: shown.length,
    rowHeight,
    scrolled,
    height,
    beyond,
    maxHeight,
  })
  return (
    <section
      ref={element}
      class="foundlong"
      aria-label={batchTexts.value.layers(shown.length)}
      tabIndex={0}
      onScroll={({ currentTarget }) => setScrolled(currentTarget.scrollTop)}
    >
      <div style={{ height: `${before}px` }} />
      <ul class="found many">
        {shown.slice(first, end).map((one) => (
          <FoundLayer key={one.id} task={one} isChosen={one === chosen} />
        ))}
      </ul>
      <div style={{ height: `${behind}px` }} />
    </section>
  )
}

function FoundLayer({ task, isChosen }: { task: Task; isChosen: boolean }) {
  const { state, data, rejected = 0 } = task
  const isBad = state === 'ERROR' || state === 'BAD_FORMAT'
  const reported = importTexts.value.states(state)
  return (
    <li>
      <button
        type="button"
        aria-current={isChosen ? 'true' : undefined}
        onClick={() => setQuery({ task: String(task.id) })}
      >
        <Icon name={data?.table === undefined ? 'file' : 'db'} />
        <b dir="auto">{nameOf(task)}</b>
        <Icon name={rejected > 0 ? 'warn' : (endedIcon.get(state) ?? 'warn')} />
        <small class={isBad ? 'b' : isOfView(task, 'decide') ? 'w' : ''}>
          {rejected > 0 ? batchTexts.value.withRejected(reported, rejected) : reported}
        </small>
      </button>
    </li>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input,select,textarea,dialog,[contenteditable]') !== null
  )
}
