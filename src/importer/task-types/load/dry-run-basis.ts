import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog } from '../../../catalog/index.ts'
import { Failure } from '../../../core/errors/errors.ts'
import type { DryRunBasis, TaskDryRun, TaskRecord } from '../../model/model.ts'
import { explainStopped, transformsOf } from '../../model/model.ts'
import type { Running } from '../task-type.ts'
import type { Target } from './target.ts'

/** Maximum time to read the state of a table, in milliseconds. */
const lookMs = 15_000

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** Digest of the options of the task and of its target. */
function requestOf({ record, task }: Running, { store, table, layerName, isExisting }: Target): string {
  const { layer, source, updateMode, keys, deleteMissing, stopIf, repair, charset, format } = task
  return digest([
    [record.workspace, store.id, table, layerName, isExisting],
    [updateMode, keys, deleteMissing, stopIf, repair, charset, format],
    [layer?.attributes, layer?.srs, transformsOf(task), source?.name, source?.schema],
    task.files.map(({ path }) => path),
  ])
}

async function stampOf(path: string): Promise<unknown[]> {
  const status = await stat(path, { bigint: true })
  const { size, mtimeNs, ctimeNs, dev, ino } = status
  const own = [path, ...[size, mtimeNs, ctimeNs, dev, ino].map(String)]
  if (!status.isDirectory()) return [own]
  const entries = (await readdir(path)).sort()
  const below: unknown[] = []
  for (const entry of entries) below.push(...(await stampOf(join(path, entry))))
  return [own, ...below]
}

/**
 * Returns a digest by size, times and inode, as for files that are served directly. Undefined for tables of
 * databases.
 */
export async function stampSource({ files, table }: TaskRecord): Promise<string | undefined> {
  if (table !== undefined || files.length === 0) return undefined
  const stamps: unknown[] = []
  for (const { path, sidecars } of files) {
    for (const one of [path, ...Object.values(sidecars)]) stamps.push(...(await stampOf(one)))
  }
  return digest(stamps)
}

/**
 * Returns the version of the layer or a digest of the table description; undefined if neither can be
 * determined.
 */
async function targetOf(
  catalog: Catalog,
  { store, table, layer, isExisting }: Target,
): Promise<string | undefined> {
  if (!isExisting) return 'new'
  if (layer !== undefined) {
    const { version, isCurrent } = await catalog.layers.refreshVersion(layer)
    return isCurrent ? `layer ${layer.id} version ${version}` : undefined
  }
  const opened = await catalog.stores.open(store)
  const state = await opened.state(table, AbortSignal.timeout(lookMs))
  return state === undefined || state.mayLag === true ? undefined : digest(state.text)
}

/**
 * Returns the basis that shows later whether a run would stage the same rows; computed before any row is
 * read. Undefined if it cannot be determined.
 */
export async function basisOf(
  catalog: Catalog,
  running: Running,
  target: Target,
): Promise<DryRunBasis | undefined> {
  const state = await targetOf(catalog, target)
  if (state === undefined) return undefined
  const source = await stampSource(running.task)
  return { wish: requestOf(running, target), target: state, source }
}

/** Staged rows that a run may reuse. */
export type ReusableDryRun = TaskDryRun & Required<Pick<TaskDryRun, 'load' | 'laidBy' | 'found'>>

/**
 * Returns earlier staged rows that a run would stage identically, or the reason why a run must read the data
 * again.
 */
export function findReusableDryRun(
  dryRun: TaskDryRun | undefined,
  now: DryRunBasis | undefined,
): { kept: ReusableDryRun } | { reason: string } | undefined {
  if (dryRun?.load === undefined) return undefined
  const { load, laidBy: retainedRows, found, basis } = dryRun
  if (retainedRows === undefined || found === undefined) return { reason: 'it is incomplete' }
  if (basis === undefined || now === undefined) return { reason: 'the target cannot be compared' }
  if (now.source === undefined) return { reason: 'changes of a source database cannot be detected' }
  if (basis.source !== now.source) return { reason: 'the source has changed since' }
  if (basis.target !== now.target) return { reason: 'the target has changed since' }
  if (basis.wish !== now.wish) return { reason: 'the task has changed since' }
  return { kept: { ...dryRun, load, laidBy: retainedRows, found } }
}

/**
 * Returns the rules that a person waived for the same load, which is staged again because a server crashed
 * during it.
 */
export function waivedOf({ accepted, run }: TaskRecord, now: DryRunBasis | undefined): string[] {
  const { basis, stopped = [] } = accepted ?? {}
  const isAgain = (run?.attempt ?? 1) > 1
  if (!isAgain || basis?.source === undefined || now === undefined) return []
  const isSame = basis.source === now.source && basis.target === now.target && basis.wish === now.wish
  return isSame ? stopped : []
}

/**
 * Throws `Failure` if the limits, checked when the rows were staged, stop this load and nobody has accepted
 * it.
 */
export function refuseStopped({ stopIf, accepted }: TaskRecord, { load, found }: ReusableDryRun): void {
  if (stopIf === undefined) return
  const waived = accepted?.loadId === load.loadId ? accepted.stopped : []
  const left = found.stopped.filter(({ rule }) => !waived.includes(rule))
  if (left.length > 0) throw new Failure('conflict', 'stopped', explainStopped(left))
}
