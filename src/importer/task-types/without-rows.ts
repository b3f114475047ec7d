import type { DryRun, TaskDryRun, TaskLoad } from '../model/model.ts'
import type { Running, TaskKind } from './task-type.ts'

/**
 * For kinds whose data become visible by their publication alone: no store has a load that could be
 * interrupted between its commit and the publication. A file that was never published is removed with other
 * unused folders.
 */
export const withoutLoad: Pick<TaskKind, 'takesLoad' | 'recover' | 'discard'> = {
  takesLoad: () => false,
  recover: ({ loadId }: TaskLoad) => Promise.reject(new Error(`Load ${loadId} has another task type`)),
  discard: ({ loadId }: TaskLoad) => Promise.reject(new Error(`Load ${loadId} has another task type`)),
}

/** Returns the dry run result of data without rows, without touching anything: target, CRS and bounds. */
export function describeDryRun(
  { record, task }: Running,
  { at, notTried }: { at: string; notTried: string[] },
): TaskDryRun {
  const { source, layer } = task
  const { envelope, raster, schema } = source ?? {}
  const crs = raster?.crs ?? schema?.geometry?.crs
  const found: DryRun = {
    rows: { read: 0, load: 0, rejected: 0 },
    columns: [],
    crs,
    bounds: envelope,
    rejects: [],
    stopped: [],
    notTried,
    messages: task.messages,
  }
  const name = `${record.workspace}:${layer?.name ?? ''}`
  return { at, mode: task.updateMode, target: { layer: name, version: null }, found }
}
