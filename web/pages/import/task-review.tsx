import type { Call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { reasonOf } from '../../components/states.tsx'
import { importTexts } from '../../messages/import/texts.ts'
import { DataPanel } from './columns/data-panel.tsx'
import { Steps } from './columns/steps.tsx'
import { CorrectRows } from './correct-rows.tsx'
import { Notes } from './notes.tsx'
import { PreviewMap } from './preview-map.tsx'
import { Difference } from './review/difference.tsx'
import { Stopped } from './review/stopped.tsx'
import { Target } from './review/target.tsx'
import { type Proposal, type Task, taskPath } from './types.ts'
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
      <Notes said={task.messages} />
      <Proposals path={path} task={task} put={put} />
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

interface PartProps {
  path: string
  task: Task
  put(call: Call): Promise<void>
}

/** True if no column of the task is a geometry, and no transformation creates one. */
function isTable({ layer, transformChain }: Task): boolean {
  const { attributes } = layer ?? {}
  if ((transformChain?.transforms.length ?? 0) > 0) return false
  if (attributes === undefined || attributes.length === 0) return false
  return !attributes.some(({ binding }) => /\.geom\.|^Geometry$/.test(binding))
}

/** Transformations that would make points of columns; none where there is a chain already. */
function proposedPoints({ proposals = [], transformChain }: Task): Proposal[] {
  if ((transformChain?.transforms.length ?? 0) > 0) return []
  return proposals.filter(({ kind }) => kind === 'geometry')
}

/** Coordinates that were found in columns. */
function Proposals({ path, task, put }: PartProps) {
  const texts = importTexts.value
  const found = proposedPoints(task)
  if (found.length === 0) return null
  const take = ({ transform, srs }: Proposal): Call => ({
    method: 'PUT',
    path,
    body: {
      task: {
        layer: srs === undefined ? undefined : { srs },
        transformChain: { type: 'vector', transforms: [transform] },
      },
    },
  })
  return (
    <section class="panel" aria-label={texts.coordinates}>
      <header>
        <h2>{texts.coordinates}</h2>
      </header>
      <ul class="body stack s2">
        {found.map((one) => (
          <li key={one.evidence} class="row wrap">
            <span class="grow" dir="auto">
              {one.evidence}
            </span>
            <CopyAsCurl call={take(one)} />
            <button type="button" class="btn main" onClick={() => void put(take(one))}>
              {texts.asPoints}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
