import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog } from '../../../catalog/catalog.ts'
import { defined } from '../../../lib/defined.ts'
import { Failure } from '../../../lib/errors.ts'
import type { TaskRecord, TaskTrial, TrialBasis } from '../../model/model.ts'
import { explainStopped, transformsOf } from '../../model/model.ts'
import type { Running } from '../kind.ts'
import type { Target } from './target.ts'

/** Whoever looks at a table for its state waits no longer. */
const lookMs = 15_000

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** What the task asks for, and where its rows go. */
function wishOf({ record, task }: Running, { store, table, layerName, isExisting }: Target): string {
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

/** By size, times and inode, as files that are served are compared. Undefined for tables of databases. */
export async function stampSource({ files, table }: TaskRecord): Promise<string | undefined> {
  if (table !== undefined || files.length === 0) return undefined
  const stamps: unknown[] = []
  for (const { path, sidecars } of files) {
    for (const one of [path, ...Object.values(sidecars)]) stamps.push(...(await stampOf(one)))
  }
  return digest(stamps)
}

/** The version of the layer, or what the table looks like; undefined where nobody can tell. */
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

/** By what it is seen later that a run would stage the same; read before any row is. Undefined where nobody could tell. */
export async function basisOf(
  catalog: Catalog,
  running: Running,
  target: Target,
): Promise<TrialBasis | undefined> {
  const state = await targetOf(catalog, target)
  if (state === undefined) return undefined
  const source = await stampSource(running.task)
  return { wish: wishOf(running, target), target: state, ...defined({ source }) }
}

/** A staged load that a run may go on with. */
export type KeptTrial = TaskTrial & Required<Pick<TaskTrial, 'load' | 'laidBy' | 'found'>>

/** What was staged before and would be staged again, or in words why a run has to read the data anew. */
export function findKept(
  trial: TaskTrial | undefined,
  now: TrialBasis | undefined,
): { kept: KeptTrial } | { reason: string } | undefined {
  if (trial?.load === undefined) return undefined
  const { load, laidBy, found, basis } = trial
  if (laidBy === undefined || found === undefined) return { reason: 'it is not whole' }
  if (basis === undefined || now === undefined) return { reason: 'the target cannot be compared' }
  if (now.source === undefined) return { reason: 'a database cannot be compared with what it was' }
  if (basis.source !== now.source) return { reason: 'the source has changed since' }
  if (basis.target !== now.target) return { reason: 'the target has changed since' }
  if (basis.wish !== now.wish) return { reason: 'the task has changed since' }
  return { kept: { ...trial, load, laidBy, found } }
}

/** Rules that a person let the same load through, which is staged anew since a server died in it. */
export function waivedOf({ accepted, run }: TaskRecord, now: TrialBasis | undefined): string[] {
  const { basis, stopped = [] } = accepted ?? {}
  const isAgain = (run?.attempt ?? 1) > 1
  if (!isAgain || basis?.source === undefined || now === undefined) return []
  const isSame = basis.source === now.source && basis.target === now.target && basis.wish === now.wish
  return isSame ? stopped : []
}

/** Limits were looked at when the rows were staged. Throws `Failure` where they stop this load and nobody lets it through. */
export function refuseStopped({ stopIf, accepted }: TaskRecord, { load, found }: KeptTrial): void {
  if (stopIf === undefined) return
  const waived = accepted?.loadId === load.loadId ? accepted.stopped : []
  const left = found.stopped.filter(({ rule }) => !waived.includes(rule))
  if (left.length > 0) throw new Failure('conflict', 'stopped', explainStopped(left))
}
