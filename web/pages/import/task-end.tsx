import { useEffect, useMemo } from 'preact/hooks'
import { addressOf } from '../../lib/base.ts'
import { formatNumber } from '../../lib/numbers.ts'
import { Resource } from '../../lib/resource.ts'
import { importTexts } from '../../messages/import/texts.ts'
import { messages } from '../../messages/messages.ts'
import { Icon } from '../../parts/icon.tsx'
import { call } from '../../wire/client.ts'
import { isBusy, type Progress, type Task, taskPath } from './wire.ts'

interface TaskEndProps {
  importId: number
  /** Into which it loads. */
  workspace: string
  task: Task
}

/** A task that runs or has run: how far it is, and the sums. */
export function TaskEnd({ importId, workspace, task }: TaskEndProps) {
  const texts = importTexts.value
  const { locale } = messages.value
  const path = taskPath(String(importId), task.id)
  const isRunning = isBusy(task.state)
  const progress = useMemo(
    () => new Resource<Progress>((signal) => call({ path: `${path}/progress` }, signal)),
    [path],
  )
  useEffect(() => {
    void progress.load()
    if (!isRunning) return () => progress.stop()
    const timer = setInterval(() => void progress.load(), 500)
    return () => {
      clearInterval(timer)
      progress.stop()
    }
  }, [progress, isRunning])
  const { progress: done = 0, total = 0 } = progress.value ?? {}
  const number = (value: number): string => formatNumber(locale, value)
  const { rowsRead, rowsLoaded, rejected, mended } = task
  return (
    <>
      <div class="head">
        <div>
          <h2 class="title" dir="auto">
            {task.layer?.name}
          </h2>
          <p class="dim" role="status">
            {texts.states(task.state)}
          </p>
        </div>
        {task.state === 'COMPLETE' && task.layer !== undefined && (
          <div class="acts">
            <a
              class="btn main"
              href={addressOf(`/app/layers/${encodeURIComponent(`${workspace}:${task.layer.name}`)}`)}
            >
              <Icon name="map" />
              {texts.show}
            </a>
          </div>
        )}
      </div>
      {task.errorMessage !== undefined && (
        <div class="note bad" role="alert">
          <Icon name="bad" />
          <div dir="auto">{task.errorMessage}</div>
        </div>
      )}
      {isRunning && <HowFar done={done} total={total} />}
      {rowsRead !== undefined && (
        <div class="sum">
          <Sum label={texts.read} value={number(rowsRead)} />
          <Sum label={texts.loaded} value={number(rowsLoaded ?? 0)} />
          <Sum label={texts.rejected} value={number(rejected ?? 0)} />
          {mended !== undefined && mended > 0 && <Sum label={texts.mended} value={number(mended)} />}
        </div>
      )}
      {(rejected ?? 0) > 0 && (
        <p>
          <a class="btn" href={addressOf(`${path}/rejects?format=source`)} download>
            <Icon name="download" />
            {texts.rejectedFile}
          </a>
        </p>
      )}
      {(task.messages ?? []).map((one, index) => (
        <div key={`${index}`} class="note">
          <Icon name="info" />
          <div dir="auto">{one.message ?? one.text}</div>
        </div>
      ))}
    </>
  )
}

/** How many rows are loaded, of how many where that is known. */
function HowFar({ done, total }: { done: number; total: number }) {
  const texts = importTexts.value
  const { locale } = messages.value
  const isKnown = total > 0
  const [so, all] = [formatNumber(locale, done), formatNumber(locale, total)]
  return (
    <div class="stack s2">
      <progress value={isKnown ? done : undefined} max={isKnown ? total : 1} aria-label={texts.loading} />
      <p>{isKnown ? texts.ofRows(so, all) : so}</p>
    </div>
  )
}

function Sum({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <b>{value}</b>
      <span>{label}</span>
    </div>
  )
}
