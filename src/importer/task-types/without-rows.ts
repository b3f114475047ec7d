import type { TaskTrial, Trial } from '../model/model.ts'
import type { Running } from './task-type.ts'

/** Returns the dry run result of data without rows, without touching anything: target, CRS and bounds. */
export function describeTrial(
  { record, task }: Running,
  { at, notTried }: { at: string; notTried: string[] },
): TaskTrial {
  const { source, layer } = task
  const { envelope, raster, schema } = source ?? {}
  const crs = raster?.crs ?? schema?.geometry?.crs
  const found: Trial = {
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
