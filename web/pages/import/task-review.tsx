import { Icon } from '../../components/icon.tsx'
import { reasonOf } from '../../components/states.tsx'
import { importTexts } from '../../messages/import/texts.ts'
import { DataPanel } from './columns/data-panel.tsx'
import { Steps } from './columns/steps.tsx'
import { CorrectRows } from './correct-rows.tsx'
import { Notes } from './notes.tsx'
import { PreviewMap } from './preview-map.tsx'
import { Difference } from './review/difference.tsx'
import { ProposedLabels, ProposedPoints, proposedPoints } from './review/proposals.tsx'
import { Stopped } from './review/stopped.tsx'
import { Target } from './review/target.tsx'
import { type Task, taskPath } from './types.ts'
import { useAct } from './use-act.ts'
import { WhereIsIt } from './where-is-it.tsx'

interface TaskProps {
  importId: number
  task: Task
  reload(): Promise<void>
}

/** A task before it runs: location, target and rows. */
export function TaskReview({ importId, task, reload }: TaskProps) {
  const texts = importTexts.value
  const path = taskPath(String(importId), task.id)
  const { act: put, error } = useAct(reload)
  const hasPoints = proposedPoints(task).length > 0
  return (
    <>
      <div class="head">
        <div>
          <p class="crumb">
            <span dir="auto">{task.data?.file ?? task.data?.table}</span>
          </p>
          <h2 class="title" dir="auto">
            {task.layer?.name}
          </h2>
        </div>
      </div>
      {error.value !== undefined && (
        <div class="note bad" role="alert">
          <Icon name="bad" />
          <div dir="auto">{reasonOf(error.value)}</div>
        </div>
      )}
      {task.errorMessage !== undefined && (
        <div class="note bad">
          <Icon name="bad" />
          <div dir="auto">{task.errorMessage}</div>
        </div>
      )}
      {(task.rejected ?? 0) > 0 && <CorrectRows importId={importId} task={task} reload={reload} />}
      <Stopped path={path} task={task} act={put} />
      <Notes messages={task.messages} />
      <ProposedPoints path={path} task={task} put={put} />
      <ProposedLabels path={path} task={task} put={put} />
      {task.state === 'NO_CRS' && !hasPoints && <WhereIsIt path={path} task={task} put={put} />}
      <div class="rev-top">
        <section class="panel relmap">
          <header>
            <h2>{texts.onMap}</h2>
          </header>
          {hasPoints || isTable(task) ? (
            <p class="body dim">{texts.noMap}</p>
          ) : (
            <PreviewMap path={path} srs={task.layer?.srs} name={task.layer?.name} />
          )}
        </section>
        <Target path={path} task={task} put={put} />
      </div>
      <Steps path={path} task={task} reload={reload} />
      <Difference importId={importId} task={task} reload={reload} />
      <DataPanel path={path} task={task} reload={reload} />
    </>
  )
}

/** True if no column of the task is a geometry, and no transformation creates one. */
function isTable({ layer, transformChain }: Task): boolean {
  const { attributes } = layer ?? {}
  if ((transformChain?.transforms.length ?? 0) > 0) return false
  if (attributes === undefined || attributes.length === 0) return false
  return !attributes.some(({ binding }) => /\.geom\.|^Geometry$/.test(binding))
}
