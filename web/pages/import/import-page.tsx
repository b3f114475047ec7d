import { useEffect, useMemo } from 'preact/hooks'
import { addressOf } from '../../lib/base.ts'
import { Resource } from '../../lib/resource.ts'
import { query, setQuery } from '../../lib/router.ts'
import { importTexts } from '../../messages/import/texts.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Failed, Loading, reasonOf } from '../../parts/states.tsx'
import { type Call, call, Refusal } from '../../wire/client.ts'
import { TaskEnd } from './task-end.tsx'
import { TaskReview } from './task-review.tsx'
import { useAct } from './use-act.ts'
import { type Import, importCall, isBusy, isOver, type Task } from './wire.ts'

const pollMs = 700
const endedIcon = new Map([
  ['COMPLETE', 'ok'],
  ['READY', 'ok'],
  ['ERROR', 'bad'],
  ['BAD_FORMAT', 'bad'],
  ['CANCELED', 'ban'],
  ['RUNNING', 'clock'],
])

/** `/app/imports/<id>?task=`: what an import is about, what becomes of it, and how it ended. The server's state decides. */
export function ImportPage({ id = '' }: Record<string, string>) {
  const texts = importTexts.value
  const found = useMemo(
    () =>
      new Resource<Import>(async (signal) => {
        return (await call<{ import: Import }>(importCall(id), signal)).import
      }),
    [id],
  )
  const { value, error } = found.state.value
  const isMoving =
    value !== undefined && (isBusy(value.state) || value.tasks.some(({ state }) => isBusy(state)))
  useEffect(() => {
    void found.load()
    return () => found.stop()
  }, [found])
  useEffect(() => {
    if (!isMoving) return undefined
    const timer = setTimeout(() => void found.load(), pollMs)
    return () => clearTimeout(timer)
  }, [isMoving, value, error, found])
  if (value === undefined) {
    if (error === undefined) return <Loading />
    const isUnknown = error instanceof Refusal && error.status === 404
    return isUnknown ? (
      <Empty title={reasonOf(error)}>
        <a class="btn" href={addressOf('/app/import')}>
          {texts.startTitle}
        </a>
      </Empty>
    ) : (
      <Failed error={error} onAgain={() => void found.load()} />
    )
  }
  const reload = (): Promise<void> => found.load()
  return (
    <div class="rev-page">
      {error !== undefined && <Failed error={error} onAgain={() => void reload()} />}
      <Review work={value} reload={reload} />
    </div>
  )
}

function Review({ work, reload }: { work: Import; reload(): Promise<void> }) {
  const texts = importTexts.value
  const { tasks } = work
  const chosen = Number(query.value.get('task') ?? tasks[0]?.id ?? 0)
  const task = tasks.find(({ id }) => id === chosen) ?? tasks[0]
  return (
    <>
      <div class="rev">
        <div class="rev-l">
          <div class="sec">
            <h1>{texts.name(work.id)}</h1>
            <p class="dim">{texts.states(work.state)}</p>
            {work.message !== undefined && <p dir="auto">{work.message}</p>}
          </div>
          <ul class="found">
            {tasks.map((one) => (
              <li key={one.id}>
                <button
                  type="button"
                  aria-current={one === task ? 'true' : undefined}
                  onClick={() => setQuery({ task: String(one.id) })}
                >
                  <Icon name={one.data?.table === undefined ? 'file' : 'db'} />
                  <b dir="auto">{nameOf(one)}</b>
                  <Icon name={endedIcon.get(one.state) ?? 'warn'} />
                  <small class={isUndecided(one) ? 'w' : ''}>{texts.states(one.state)}</small>
                </button>
              </li>
            ))}
          </ul>
          {tasks.length === 0 && (
            <p class="sec dim">{isBusy(work.state) ? texts.looking : texts.nothingFound}</p>
          )}
        </div>
        <div class="rev-r">
          {task !== undefined &&
            (isOver(task.state) || isBusy(task.state) ? (
              <TaskEnd
                key={task.id}
                importId={work.id}
                workspace={work.targetWorkspace?.workspace?.name ?? 'default'}
                task={task}
              />
            ) : (
              <TaskReview key={task.id} importId={work.id} task={task} reload={reload} />
            ))}
        </div>
      </div>
      <ActBar work={work} reload={reload} />
    </>
  )
}

/** What is done for all layers at once. */
function ActBar({ work, reload }: { work: Import; reload(): Promise<void> }) {
  const texts = importTexts.value
  const { act, error } = useAct(reload)
  const ready = work.tasks.filter(({ state }) => state === 'READY').length
  const isDone = work.tasks.length > 0 && work.tasks.every(({ state }) => isOver(state))
  const isRunning = work.tasks.some(({ state }) => state === 'RUNNING') || work.state === 'RUNNING'
  const run: Call = { method: 'POST', path: `/rest/imports/${work.id}`, query: { async: true } }
  const cancel: Call = { method: 'POST', path: `/rest/imports/${work.id}/cancel` }
  return (
    <div class="actbar">
      <p class="note-txt" role="status">
        <b>{isDone ? texts.states(work.state) : texts.ready(ready, work.tasks.length)}</b>{' '}
        <span class="dim">{work.tasks.every(({ state }) => !isOver(state)) ? texts.nothingSaved : ''}</span>
        {error.value !== undefined && (
          <span class="err" role="alert" dir="auto">
            {reasonOf(error.value)}
          </span>
        )}
      </p>
      <span class="grow" />
      {!isDone && <CopyAsCurl call={isRunning ? cancel : run} />}
      {isDone ? (
        <a class="btn" href={addressOf('/app/import')}>
          {texts.another}
        </a>
      ) : isRunning ? (
        <button type="button" class="btn danger" onClick={() => void act(cancel)}>
          {texts.cancel}
        </button>
      ) : (
        <button type="button" class="btn main" disabled={ready === 0} onClick={() => void act(run)}>
          {texts.run(ready)}
          <Icon name="arrow" />
        </button>
      )}
    </div>
  )
}

function nameOf({ layer, data, id }: Task): string {
  return layer?.name ?? data?.file ?? data?.table ?? String(id)
}

function isUndecided({ state }: Task): boolean {
  return state.startsWith('NO_') || state === 'BAD_FORMAT'
}
