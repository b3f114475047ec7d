import type { Call } from '../../../api/client.ts'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { Icon } from '../../../components/icon.tsx'
import { reasonOf } from '../../../components/states.tsx'
import { addressOf } from '../../../lib/base.ts'
import { batchTexts, decidingTexts, importTexts } from '../../../messages/import/texts.ts'
import { isOfView, isRunnable } from '../batch/views.ts'
import type { Import } from '../types.ts'
import { useAct } from '../use-act.ts'

interface ActBarProps {
  work: Import
  /** It is tried out. */
  isDryRunning: boolean
  reload(): Promise<void>
}

/** Loads what can be loaded, what has failed again. */
export function runCall(importId: number): Call {
  return { method: 'POST', path: `/rest/imports/${importId}`, query: { async: true } }
}

/** Actions for all layers. */
export function ActBar({ work, isDryRunning, reload }: ActBarProps) {
  const texts = importTexts.value
  const { act, error } = useAct(reload)
  const { tasks } = work
  const runnable = tasks.filter(isRunnable).length
  const isDone = tasks.length > 0 && tasks.every(({ state }) => state === 'COMPLETE')
  const isRunning =
    !isDryRunning && (work.state === 'RUNNING' || tasks.some(({ state }) => state === 'RUNNING'))
  const run = runCall(work.id)
  const cancel: Call = { method: 'DELETE', path: `/rest/imports/${work.id}/run` }
  return (
    <div class="actbar">
      <p class="note-txt" role="status">
        <Reported work={work} isDryRunning={isDryRunning} isRunning={isRunning} />
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
        <button
          type="button"
          class="btn main"
          disabled={runnable === 0 || isDryRunning}
          onClick={() => void act(run)}
        >
          {texts.run(runnable)}
          <Icon name="arrow" />
        </button>
      )}
    </div>
  )
}

interface ImportStateProps {
  work: Import
  isDryRunning: boolean
  isRunning: boolean
}

/** Summary of all layers in words. */
function Reported({ work: { tasks, state }, isDryRunning, isRunning }: ImportStateProps) {
  const [texts, deciding, batch] = [importTexts.value, decidingTexts.value, batchTexts.value]
  const countOf = (view: Parameters<typeof isOfView>[1]): number =>
    tasks.filter((task) => isOfView(task, view)).length
  const [done, open] = [countOf('done'), countOf('decide')]
  // Cancelled layers are listed with the failed ones, to be loaded again, but named correctly.
  const cancelled = tasks.filter((task) => task.state === 'CANCELED').length
  const failed = countOf('failed') - cancelled
  const isBegun = done + failed + cancelled > 0
  if (isDryRunning) return <b>{deciding.tried}</b>
  if (isRunning) return <b>{batch.loadedOf(done, tasks.length)}</b>
  return (
    <>
      <b>
        {done === tasks.length && done > 0
          ? texts.states(state)
          : isBegun
            ? batch.loadedOf(done, tasks.length)
            : texts.ready(countOf('ready'), tasks.length)}
      </b>{' '}
      <span class="dim">
        {failed > 0 && `${deciding.failed(failed)} `}
        {cancelled > 0 && `${deciding.cancelled(cancelled)} `}
        {open > 0 && `${deciding.open(open)} `}
        {!isBegun && texts.nothingSaved}
      </span>
    </>
  )
}
