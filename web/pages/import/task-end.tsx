import { Icon } from '../../components/icon.tsx'
import { addressOf } from '../../lib/base.ts'
import { formatNumber } from '../../lib/numbers.ts'
import { decidingTexts, importTexts } from '../../messages/import/texts.ts'
import { messages } from '../../messages/messages.ts'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { CorrectRows } from './correct-rows.tsx'
import { Notes } from './notes.tsx'
import { HowFar } from './progress/how-far.tsx'
import { isBusy, type Task } from './types.ts'
import { Undo } from './undo.tsx'

interface TaskEndProps {
  importId: number
  /** Into which it loads. */
  workspace: string
  task: Task
  reload(): Promise<void>
}

/** A running or finished task: progress and row counts. */
export function TaskEnd({ importId, workspace, task, reload }: TaskEndProps) {
  const texts = importTexts.value
  const { locale } = messages.value
  const isRunning = isBusy(task.state)
  const number = (value: number): string => formatNumber(locale, value)
  const { rowsRead, rowsLoaded, rejected, mended: corrected } = task
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
            <a class="btn" href={addressOf(`/app/new-source?import=${importId}&task=${task.id}`)}>
              <Icon name="calendar" />
              {sourceTexts.value.saveAsSource}
            </a>
            <Undo importId={importId} layer={`${workspace}:${task.layer.name}`} reload={reload} />
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
      {isRunning && (
        <>
          <HowFar importId={importId} task={task} />
          <p class="dim">{decidingTexts.value.mayClose}</p>
        </>
      )}
      {rowsRead !== undefined && (
        <div class="sum">
          <Sum label={texts.read} value={number(rowsRead)} />
          <Sum label={texts.loaded} value={number(rowsLoaded ?? 0)} />
          <Sum label={texts.rejected} value={number(rejected ?? 0)} />
          {corrected !== undefined && corrected > 0 && <Sum label={texts.mended} value={number(corrected)} />}
        </div>
      )}
      {(rejected ?? 0) > 0 && !isRunning && <CorrectRows importId={importId} task={task} reload={reload} />}
      <Notes messages={task.messages} />
    </>
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
