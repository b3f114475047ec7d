import type { Catalog } from '../../catalog/index.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { Importer, ImportRecord, TaskRecord } from '../../importer/index.ts'
import { foundByDryRun, stoppedText } from '../../importer/index.ts'
import type { LoadedLayer, RunChanges, RunEnd, RunRecord, StoppedRule } from '../model/run.ts'
import type { SourceRecord } from '../model/source.ts'
import { RunFailure } from './run-failure.ts'
import { targetName } from './target-layers.ts'

export interface DriveDeps {
  importer: Importer
  catalog: Catalog
}

/** A run with its import. */
export interface DrivenRun {
  source: SourceRecord
  run: RunRecord
  importId: number
  /** Names of files that were loaded before; an APPEND leaves them out. */
  unchangedFiles?: ReadonlySet<string>
  /** True if the data contain only changed rows: missing rows are not deleted. */
  isPartial: boolean
  /** Saves that the import is started, and the changes that it will make. Returns the changed run. */
  markStarted(changes: RunChanges | undefined): Promise<RunRecord>
  signal: AbortSignal
}

/**
 * Takes an import from its creation to its end: configures its tasks, compares the data with the layer by a dry
 * run, and runs the import if something differs. The state of the import decides the next step, so that another
 * process can continue.
 */
export async function driveImport(deps: DriveDeps, begun: DrivenRun): Promise<RunEnd> {
  const { importer } = deps
  let driven = begun
  let isConfigured = false
  for (;;) {
    const record = await importer.kept.find(driven.importId)
    if (record === undefined) throw new RunFailure('import-deleted', 'Its import was deleted while it ran')
    if (record.state === 'INIT' || record.state === 'RUNNING') await waitFor(importer, record, driven.signal)
    else if (record.state === 'INIT_ERROR')
      throw new Failure('unavailable', 'data-unreadable', record.message ?? 'The data cannot be read')
    else if (await isEnded(importer, record, driven)) return endOf(deps, driven)
    else if (!isConfigured) {
      await configureTasks(deps, record, driven)
      isConfigured = true
    } else if (await needsDryRun(importer, record, driven)) await performDryRun(importer, record, driven)
    else {
      const unchanged = await findUnchanged(importer, record, driven)
      if (unchanged !== undefined) return unchanged
      const run = await driven.markStarted(await plannedChanges(importer, record))
      driven = { ...driven, run }
      await importer.run(record.id, { isAsync: true, signal: driven.signal })
    }
  }
}

async function waitFor(importer: Importer, record: ImportRecord, signal: AbortSignal): Promise<void> {
  if (record.jobId === undefined) throw new Error(`Import ${record.id} is ${record.state} without a job`)
  await importer.jobs.wait(record.jobId, signal)
}

const endStates: readonly string[] = ['COMPLETE', 'ERROR', 'CANCELED']

/** True if the import was run and no task can continue. */
async function isEnded(importer: Importer, record: ImportRecord, { run }: DrivenRun): Promise<boolean> {
  if (record.state === 'COMPLETE') return true
  if (run.isStarted !== true) return false
  const tasks = await importer.kept.listTasks(record.id)
  return tasks.length > 0 && tasks.every(({ state }) => endStates.includes(state))
}

/** Removes tasks that have nothing new and sets the options of the others. */
async function configureTasks(
  { importer, catalog }: DriveDeps,
  record: ImportRecord,
  driven: DrivenRun,
): Promise<void> {
  const { source, run } = driven
  const { settings } = source
  const all = await importer.kept.listTasks(record.id)
  const tasks = settings.updateMode === 'APPEND' ? await withoutLoaded(importer, all, driven) : all
  if (tasks.length === 0) throw noData(record)
  const names = new Set<string>()
  for (const task of tasks) {
    if (task.state === 'NO_FORMAT') throw unreadable(task)
    const name = targetName(source, task, tasks.length === 1)
    if (names.has(name) && settings.updateMode !== 'APPEND')
      throw new RunFailure(
        'same-layer',
        `Several files of its data are named "${name}": give them other names`,
      )
    names.add(name)
    const exists = (await catalog.layers.find(record.workspace, name)) !== undefined
    const isKnown = source.memory.versions[`${record.workspace}:${name}`] !== undefined
    if (!exists && isKnown && run.recreates !== true)
      throw new RunFailure('target-deleted', `Its layer "${record.workspace}:${name}" was deleted`)
    const { stopIf, keys, deleteMissing, repair, allowEmpty, srs } = settings
    const isUpsert = settings.updateMode === 'UPSERT'
    await importer.changeTask(record.id, task.id, {
      updateMode: exists ? settings.updateMode : 'CREATE',
      layer: { name, srs: task.layer?.srs === undefined ? srs : undefined },
      keys: exists ? keys : undefined,
      deleteMissing: exists && isUpsert ? deleteMissing === true && !driven.isPartial : undefined,
      stopIf: exists ? stopIf : undefined,
      repair,
      allowEmpty,
    })
  }
}

async function withoutLoaded(
  importer: Importer,
  tasks: TaskRecord[],
  { unchangedFiles }: DrivenRun,
): Promise<TaskRecord[]> {
  if (unchangedFiles === undefined || unchangedFiles.size === 0) return tasks
  const left: TaskRecord[] = []
  for (const task of tasks) {
    const isLoaded = task.files.every(({ path }) => unchangedFiles.has(path.slice(task.folder.length + 1)))
    if (isLoaded) await importer.removeTask(task.importId, task.id)
    else left.push(task)
  }
  return left
}

function noData({ messages }: ImportRecord): RunFailure {
  const reasons = messages.map(({ message }) => message).join('. ')
  return new RunFailure('no-data', reasons === '' ? 'Its data contain no layer' : reasons)
}

function unreadable({ messages, errorMessage }: TaskRecord): RunFailure {
  const reasons = [errorMessage, ...messages.map(({ message }) => message)].filter((one) => one !== undefined)
  return new RunFailure('no-format', reasons.join('. ') || 'No format can read its data')
}

/** True if the rows must be compared with those of the layer first. */
async function needsDryRun(importer: Importer, record: ImportRecord, { run }: DrivenRun): Promise<boolean> {
  if (record.dryRun !== undefined || run.isStarted === true) return false
  const tasks = await importer.kept.listTasks(record.id)
  return tasks.every(({ updateMode, kind, state }) => {
    const isCompared = updateMode === 'REPLACE' || updateMode === 'UPSERT'
    return isCompared && kind === 'vector' && state === 'READY'
  })
}

async function performDryRun(importer: Importer, record: ImportRecord, { signal }: DrivenRun): Promise<void> {
  await importer.performDryRun(record.id, { isAsync: true, signal })
}

/** Returns the end of a run whose data equal those of the layers; its import is removed. */
async function findUnchanged(
  importer: Importer,
  record: ImportRecord,
  { run }: DrivenRun,
): Promise<RunEnd | undefined> {
  if (record.dryRun?.state !== 'COMPLETE') return undefined
  const tasks = await importer.kept.listTasks(record.id)
  const isSame = (task: TaskRecord): boolean => {
    const { changes, columns = [], stopped = [], rows } = foundByDryRun(task) ?? {}
    if (changes === undefined || columns.length > 0 || stopped.length > 0 || rows?.rejected !== 0)
      return false
    return changes.added === 0 && (changes.changed ?? 0) === 0 && changes.removed === 0
  }
  if (!tasks.every(isSame)) return undefined
  const rows = sum(tasks.map((task) => foundByDryRun(task)?.rows.load ?? 0))
  await importer.removeImport(record.id)
  const { importId: _removed, ...rest } = run
  return {
    outcome: 'unchanged',
    notes: rest.notes,
    rows,
    changes: { added: 0, changed: 0, removed: 0 },
    message: 'The data equal those of the layer',
  }
}

/** Returns the changes found by the dry run, which the run of the import forgets. */
async function plannedChanges(importer: Importer, record: ImportRecord): Promise<RunChanges | undefined> {
  const tasks = await importer.kept.listTasks(record.id)
  return tasks.every((task) => foundByDryRun(task)?.changes !== undefined)
    ? countsOf(tasks).changes
    : undefined
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** Returns the outcome of an import that has ended. */
export async function endOf(
  { importer }: Pick<DriveDeps, 'importer'>,
  { importId, run }: Pick<DrivenRun, 'importId' | 'run'>,
): Promise<RunEnd> {
  const record = await importer.kept.get(importId)
  const tasks = await importer.kept.listTasks(importId)
  const { rows, changes } = countsOf(tasks)
  const base = {
    importId,
    isStarted: true,
    notes: run.notes,
    rows,
    changes: run.changes ?? changes,
    layers: layersOf(record, tasks),
  }
  const stopped = tasks.flatMap(stoppedRules)
  if (stopped.length > 0) {
    const message = stopped
      .map(({ rule, limit, measured }) => stoppedText({ rule, limit, measured }))
      .join('; ')
    return {
      ...base,
      pending: run.pending,
      outcome: 'stopped',
      code: 'stopped',
      stopped,
      message: `stopIf stopped it: ${message}`,
    }
  }
  const failed = tasks.filter(({ state }) => state !== 'COMPLETE')
  if (failed.length === 0) return { ...base, outcome: 'loaded' }
  const message = failed
    .map((task) => task.errorMessage ?? `Task ${task.id} is ${task.state}`)
    .join('. ')
    .slice(0, 4000)
  return { ...base, outcome: 'failed', code: failed[0]?.errorCode ?? 'load-failed', message }
}

function stoppedRules({ id, stopped = [], state }: TaskRecord): StoppedRule[] {
  return state === 'ERROR' ? stopped.map((one) => ({ ...one, task: id })) : []
}

function layersOf({ workspace }: ImportRecord, tasks: TaskRecord[]): LoadedLayer[] {
  return tasks.flatMap(({ published, layer, state }) =>
    published === undefined || layer === undefined || state !== 'COMPLETE'
      ? []
      : [{ layer: `${workspace}:${layer.name}`, version: published.version }],
  )
}

function countsOf(tasks: TaskRecord[]): { rows: number; changes: RunChanges } {
  const changes: RunChanges = { added: 0, changed: 0, removed: 0 }
  for (const task of tasks) {
    const { updateMode, rowsLoaded = 0 } = task
    const found = foundByDryRun(task)?.changes
    if (found === undefined) {
      if (updateMode !== 'REPLACE') changes.added += rowsLoaded
      continue
    }
    changes.added += found.added
    changes.removed += found.removed
    const isCounted = changes.changed !== null && found.changed !== null
    changes.changed = isCounted ? Number(changes.changed) + Number(found.changed) : null
  }
  return { rows: sum(tasks.map(({ rowsLoaded = 0 }) => rowsLoaded)), changes }
}
