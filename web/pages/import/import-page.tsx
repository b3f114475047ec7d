import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { call, Refusal } from '../../api/client.ts'
import { Empty, Failed, Loading, reasonOf } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { Resource } from '../../lib/resource.ts'
import { query } from '../../lib/router.ts'
import { batchTexts, historyTexts, importTexts } from '../../messages/import/texts.ts'
import { FoundList, isLongBatch } from './batch/task-list.tsx'
import { allTasks, chosenTasks, viewOf } from './batch/views.ts'
import { problemsOf } from './corrections/problems.ts'
import { SentChanges } from './corrections/sent-changes.ts'
import { Together } from './corrections/together.tsx'
import { Notes } from './notes.tsx'
import { ActBar, runCall } from './progress/act-bar.tsx'
import { askChanged, hasMoved } from './progress/ask-changed.ts'
import { useTitle } from './progress/use-title.ts'
import { type DryRun, DryRunContext, dryRunPath } from './review/dry-run.ts'
import { TaskEnd } from './task-end.tsx'
import { TaskReview } from './task-review.tsx'
import { type Import, isBusy, storeOf, type Task } from './types.ts'
import { useAct } from './use-act.ts'

const pollMs = 700
const stillMs = 3000

interface LoadedImport {
  work: Import
  dryRun: DryRun | undefined
}

/** `/app/imports/<id>?task=`: review, progress and result of an import, by the server's state. */
export function ImportPage({ id = '' }: Record<string, string>) {
  const texts = importTexts.value
  const { found, poll } = useMemo(() => followed(id), [id])
  const { value, error } = found.state.value
  const isMoving =
    value !== undefined && (isBusy(value.work.state) || value.work.tasks.some(({ state }) => isBusy(state)))
  useEffect(() => {
    void found.load()
    return () => found.stop()
  }, [found])
  useEffect(() => {
    if (!isMoving) return undefined
    const timer = setTimeout(() => void poll(), pollMs)
    return () => clearTimeout(timer)
  }, [isMoving, value, error, poll])
  useOthers(id, isMoving ? undefined : value?.work, poll)
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
      <DryRunContext.Provider value={value.dryRun}>
        <Review {...value} reload={reload} />
      </DryRunContext.Provider>
    </div>
  )
}

/** Shows changes from other windows. */
function useOthers(id: string, still: Import | undefined, poll: () => Promise<void>): void {
  useEffect(() => {
    if (still === undefined) return undefined
    const asking = new AbortController()
    const look = async (): Promise<void> => {
      if (!document.hidden && (await hasMoved(id, still, asking.signal))) await poll()
    }
    // Errors of polling are ignored: a server that is away is reported on the next user action.
    const timer = setInterval(() => look().catch(() => undefined), stillMs)
    return () => {
      clearInterval(timer)
      asking.abort()
    }
  }, [id, still, poll])
}

/** An import, loaded completely once, then updated by its changes. */
function followed(id: string): { found: Resource<LoadedImport>; poll(): Promise<void> } {
  let before: Import | undefined
  const found = new Resource<LoadedImport>((signal) => {
    const known = before
    before = undefined
    return ask(id, known, signal)
  })
  const poll = (): Promise<void> => {
    before = found.state.peek().value?.work
    return found.load()
  }
  return { found, poll }
}

/**
 * Loads an import with its dry run. While the dry run is active its tasks are unchanged: nothing is saved.
 */
async function ask(id: string, before: Import | undefined, signal: AbortSignal): Promise<LoadedImport> {
  const work = await askChanged(id, before, signal)
  const dryRun = work.dryRun === undefined ? undefined : await dryRunOf(id, signal)
  if (dryRun?.state !== 'RUNNING') return { work, dryRun }
  const tasks = work.tasks.map((task) => (task.state === 'RUNNING' ? { ...task, state: 'READY' } : task))
  return { work: { ...work, tasks }, dryRun }
}

async function dryRunOf(id: string, signal: AbortSignal): Promise<DryRun | undefined> {
  try {
    const path = dryRunPath(Number(id))
    return (await call<{ dryRun: DryRun }>({ path }, signal)).dryRun
  } catch (error) {
    // It was dropped a moment ago.
    if (error instanceof Refusal && error.status === 404) return undefined
    throw error
  }
}

interface ReviewProps extends LoadedImport {
  reload(): Promise<void>
}

function Review({ work, dryRun, reload }: ReviewProps) {
  const texts = importTexts.value
  const { tasks } = work
  const isDryRunning = dryRun?.state === 'RUNNING'
  const sent = useMemo(() => new SentChanges(), [work.id])
  const view = viewOf(query.value.get('show'))
  const problems = tasks.length > 1 ? problemsOf(tasks) : []
  const why = problems.find(({ key }) => key === query.value.get('why'))
  const shown = chosenTasks(why?.tasks ?? tasks, view, query.value.get('q') ?? '')
  const chosen = query.value.get('task') ?? (isLongBatch(tasks) && problems.length > 0 ? allTasks : undefined)
  const isTogether = chosen === allTasks && tasks.length > 1
  const task = isTogether
    ? undefined
    : (tasks.find(({ id }) => String(id) === chosen) ?? shown[0] ?? tasks[0])
  const done = tasks.filter(({ state }) => state === 'COMPLETE').length
  const isRunning = !isDryRunning && tasks.some(({ state }) => state === 'RUNNING')
  useTitle(tasks.length > 1 && isRunning ? batchTexts.value.loadedOf(done, tasks.length) : undefined)
  const { act } = useAct(reload)
  return (
    <>
      <div class="rev">
        <div class="rev-l">
          <div class="sec">
            <h1>{texts.name(work.id)}</h1>
            <p class="dim">{texts.states(isDryRunning ? 'READY' : work.state)}</p>
            {work.message !== undefined && <p dir="auto">{work.message}</p>}
          </div>
          <FoundList
            tasks={tasks}
            chosen={task}
            isTogether={isTogether}
            view={view}
            shown={shown}
            why={why}
          />
          {tasks.length === 0 && (
            <p class="sec dim">{isBusy(work.state) ? texts.looking : texts.nothingFound}</p>
          )}
        </div>
        <div class="rev-r">
          {work.messages !== undefined && work.messages.length > 0 && (
            <section class="stack s2" aria-label={historyTexts.value.messages}>
              <Notes messages={work.messages} />
            </section>
          )}
          {isTogether && (
            <Together
              {...{ work, isRunning, sent, reload }}
              listed={shown}
              run={() => void act(runCall(work.id))}
            />
          )}
          {task !== undefined && <Chosen work={work} task={task} reload={reload} />}
        </div>
      </div>
      <ActBar work={work} isDryRunning={isDryRunning} reload={reload} />
    </>
  )
}

/** A running or finished layer, or one to review, including one whose run failed. */
function Chosen({
  work,
  task,
  reload,
}: {
  work: Import
  task: Task
  reload(): Promise<void>
}): ComponentChildren {
  const workspace = storeOf(task)?.workspace ?? work.targetWorkspace?.workspace?.name ?? 'default'
  return task.state === 'COMPLETE' || isBusy(task.state) ? (
    <TaskEnd key={task.id} importId={work.id} workspace={workspace} task={task} reload={reload} />
  ) : (
    <TaskReview key={task.id} importId={work.id} task={task} reload={reload} />
  )
}
