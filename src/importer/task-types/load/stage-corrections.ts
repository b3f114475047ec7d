import { rm } from 'node:fs/promises'
import { conflict } from '../../../core/errors/errors.ts'
import type { FormatMessage } from '../../../formats/worker.ts'
import type { CorrectionFile, TaskCorrection, TaskRecord } from '../../model/model.ts'
import { declaredLayer, finalSchema, sourceSchema } from '../../model/model.ts'
import type { LoadOutcome, LoadPlan } from '../../worker/worker.ts'
import type { CommitNote, Running, StageNotes } from '../task-type.ts'
import type { Loader, StagedTaskRows } from './loader.ts'
import type { RowStage } from './plan-rows.ts'
import { planTaskRows } from './plan-rows.ts'
import type { RowLoadDeps, RowSource } from './row-load-deps.ts'

/** The part of the corrected rows that loading them uses. */
type Sent = TaskCorrection & { from: CorrectionFile }

/** Returns the corrected rows of a task that are in progress. */
function sentTo({ id, mending: correcting }: TaskRecord): Sent {
  if (correcting?.from === undefined)
    throw new Error(`Task ${id} has no running submission of corrected rows`)
  return { ...correcting, from: correcting.from }
}

/**
 * Returns the task as its corrected rows are loaded: an append to the loaded data, with the same keys if the
 * task has keys.
 */
export function asAdded({ record, task }: Running): Running {
  const { updateMode, source, stopIf: _stopIf, trial: _dryRun, ...rest } = task
  const { layer } = sentTo(task).from
  const counted =
    source === undefined ? {} : { source: { ...source, featureCount: layer.featureCount ?? -1 } }
  const added: TaskRecord = {
    ...rest,
    ...counted,
    updateMode: updateMode === 'UPSERT' ? 'UPSERT' : 'APPEND',
    deleteMissing: false,
    isDirect: false,
    layer: declaredLayer(task) ?? rest.layer,
  }
  return { record, task: added }
}

/** Source of the uploaded rows. */
export const sentRows: RowSource = {
  open: ({ task }) => {
    const { file, format, layer, charset } = sentTo(task).from
    return { kind: 'file', file, format, layer, charset }
  },
  refuse: () => Promise.resolve(),
}

/** Maps attribute names at the end of the chain to column names of the table, where they differ. */
function storedNames(task: TaskRecord): Record<string, string> {
  const stored = [...(task.layer?.loaded?.attributes ?? [])]
  const names: Record<string, string> = {}
  for (const { name, source = name } of finalSchema(task).attributes) {
    const index = stored.findIndex((one) => one.source === source)
    const [found] = index < 0 ? [] : stored.splice(index, 1)
    if (found !== undefined && found.name !== name) names[name] = found.name
  }
  return names
}

function correctionPlan(loader: Loader, plan: LoadPlan, task: TaskRecord, sent: Sent): LoadPlan {
  const { number, at } = sent
  const rejectsAfter = loader.rejectsPath(task, number)
  const rejects = loader.rejectsPath(task, task.rejectsNumber)
  const { stopIf } = sent
  const dryRun = stopIf && { isDryRun: false, stopIf, accepted: [], keys: task.keys }
  return {
    ...plan,
    trial: dryRun ?? plan.trial,
    rejectsPath: `${rejectsAfter}.again`,
    mended: { rejects, rejectsAfter, at, schema: sourceSchema(task), columns: storedNames(task) },
  }
}

/**
 * Returns the counts of the task after corrected rows are loaded: each row read is loaded, still rejected, or
 * corrected.
 */
function countsAfter(task: TaskRecord, loaded: number): CommitNote['counts'] {
  const { rowsRead = 0, rowsLoaded = 0, rejected = 0, mended: corrected = 0 } = task
  return { rowsRead, rowsLoaded, rejected: rejected - loaded, mended: corrected + loaded }
}

function noteOf(task: TaskRecord, note: CommitNote, { mended: corrected }: LoadOutcome): CommitNote {
  if (corrected === undefined) throw new Error('The load of corrected rows did not report its result')
  const { number } = sentTo(task)
  return {
    ...note,
    counts: countsAfter(task, corrected.rows.loaded),
    columns: task.layer?.loaded ?? note.columns,
    mended: { number, ...corrected, messages: note.messages },
    messages: [],
  }
}

/** Stages the corrected rows of a task for the table that the task loaded. */
export async function stageCorrections(
  deps: RowLoadDeps,
  stage: RowStage,
  notes: StageNotes,
  signal: AbortSignal,
): Promise<StagedTaskRows> {
  const { task } = stage.running
  const sent = sentTo(task)
  if ((task.rejected ?? 0) === 0) throw conflict('no-rejects', `Task ${task.id} has no rejected rows`)
  const startedMs = performance.now()
  const planned = await planTaskRows(deps, stage, { isCopied: false, isWhole: true }, signal)
  const plan = correctionPlan(deps.loader, planned.plan, task, sent)
  await rm(plan.rejectsPath, { force: true })
  const messages: FormatMessage[] = [...planned.messages]
  const { number } = sent
  const staged = await deps.loader.stage(plan, {
    task,
    startedMs,
    signal,
    messages,
    onStopped: ({ trial: { stopped } }) => notes.storeStoppedCorrections(stopped),
    onNothingCorrected: (corrected) => notes.storeNothingCorrected({ number, ...corrected }),
  })
  return {
    commit: (write) => staged.commit((note, outcome) => write(noteOf(task, note, outcome), outcome)),
    discard: staged.discard,
  }
}
