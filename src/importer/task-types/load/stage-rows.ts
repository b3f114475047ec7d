import { rm } from 'node:fs/promises'
import { Failure } from '../../../core/errors/errors.ts'
import type { FormatMessage } from '../../../formats/worker.ts'
import type { DryRunBasis, TaskDryRun } from '../../model/model.ts'
import { finalSchema } from '../../model/model.ts'
import type { LoadPlan, LoadProgress, TriedLoad } from '../../worker/worker.ts'
import type { StageNotes } from '../task-type.ts'
import type { ReusableDryRun } from './dry-run-basis.ts'
import { waivedOf } from './dry-run-basis.ts'
import type { Loader, LoaderWork, StagedTaskRows } from './loader.ts'
import type { PlannedRows, RowStage } from './plan-rows.ts'
import { planTaskRows } from './plan-rows.ts'
import type { RowLoadDeps } from './row-load-deps.ts'

/** Rows staged earlier that a run may reuse, and the basis of the rows that it stages. */
export interface RunDryRun {
  basis?: DryRunBasis
  /** Staged rows to reuse. */
  kept?: ReusableDryRun
  /** Why earlier staged rows are not reused. */
  reason?: string
}

/** Returns a dry run result in the form stored on a task. */
export function dryRunOf(
  { running: { record, task }, load, target }: RowStage,
  { trial: dryRun, laidBy: retainedRows }: TriedLoad,
  { messages, basis, at }: { messages: FormatMessage[]; basis: DryRunBasis | undefined; at: string },
): TaskDryRun {
  const name = `${record.workspace}:${target.layerName}`
  const { version = null } = target.layer ?? {}
  return {
    at,
    mode: target.isExisting ? task.updateMode : 'CREATE',
    target: { layer: name, version },
    found: { ...dryRun, messages: [...messages, ...dryRun.messages] },
    ...(retainedRows === undefined ? {} : { load, laidBy: retainedRows }),
    basis,
  }
}

/** Adds the measurements that the limits of the task need before the commit. */
function limited(plan: LoadPlan, stage: RowStage, basis: DryRunBasis | undefined): LoadPlan {
  const { task } = stage.running
  const { stopIf, keys } = task
  if (stopIf === undefined) return plan
  const crs = knownCrs(stage)
  const accepted = waivedOf(task, basis)
  return { ...plan, trial: { isDryRun: false, stopIf, accepted, crs, keys } }
}

/** Returns the CRS of the layer, and that of the data before reprojection. */
export function knownCrs({ running: { task }, target }: RowStage): { from?: string; to?: string } {
  return { from: target.layer?.details.srs, to: finalSchema(task).geometry?.crs?.srs }
}

function takenUp(
  loader: Loader,
  plan: LoadPlan,
  { running: { task } }: RowStage,
  kept: ReusableDryRun,
): LoadPlan {
  const { rejected } = kept.found.rows
  const rejectsPath = loader.dryRunRejectsPath(task)
  return { ...plan, takeUp: { ...kept.laidBy, rejected, rejectsPath } }
}

/** Returns the messages of an earlier dry run that are repeated when its rows are reused. */
function takenMessages({ at, found }: ReusableDryRun): FormatMessage[] {
  const own = found.messages.filter(({ level }) => level !== 'error')
  const message = `The load used the rows staged at ${at}`
  return [...own, { level: 'info', code: 'rehearsal-taken', message }]
}

function notTaken(reason: string): FormatMessage {
  const message = `The rows staged before were not used because ${reason}: the data were read again`
  return { level: 'info', code: 'rehearsal-not-taken', message }
}

function finalPlan(
  loader: Loader,
  planned: PlannedRows,
  stage: RowStage,
  { basis, kept }: RunDryRun,
): LoadPlan {
  const { plan } = planned
  const { task } = stage.running
  const listed = plan.mode === 'UPSERT' ? { ...plan, changesPath: loader.changesPath(task, 'upsert') } : plan
  return kept === undefined ? limited(listed, stage, basis) : takenUp(loader, listed, stage, kept)
}

/** Stages the rows of the task, or reuses rows staged by a dry run. */
export async function stageTaskRows(
  deps: RowLoadDeps,
  stage: RowStage,
  dryRun: RunDryRun,
  notes: StageNotes,
  signal: AbortSignal,
): Promise<StagedTaskRows> {
  const { task } = stage.running
  const { basis, kept, reason } = dryRun
  const startedMs = performance.now()
  const planned = await planTaskRows(
    deps,
    stage,
    { isCopied: kept !== undefined, isWhole: task.stopIf !== undefined },
    signal,
  )
  const plan = finalPlan(deps.loader, planned, stage, dryRun)
  const messages = [
    ...(reason === undefined ? [] : [notTaken(reason)]),
    ...(kept === undefined ? planned.messages : takenMessages(kept)),
  ]
  await rm(plan.rejectsPath, { force: true })
  let latest: LoadProgress | undefined
  const onProgress = (progress: LoadProgress): void => {
    latest = progress
  }
  const onStopped: LoaderWork['onStopped'] = (tried) =>
    notes.keepStopped(dryRunOf(stage, tried, { messages, basis, at: deps.now() }))
  const beforeTouch = (mark: string): Promise<void> => notes.noteTouch(mark)
  const work = { task, startedMs, signal, messages, onProgress, onStopped, beforeTouch }
  const staged = await deps.loader.stage(plan, work)
  return {
    commit: async (write) => {
      try {
        return await staged.commit(write)
      } catch (error) {
        const isGivenUp = error instanceof Failure && error.code === 'too-many-rejects'
        if (isGivenUp && latest !== undefined) {
          await notes.keepCounts({ rowsRead: latest.rows, rejected: latest.rejected })
        }
        throw error
      }
    },
    discard: staged.discard,
  }
}
