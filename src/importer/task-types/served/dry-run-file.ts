import { rm } from 'node:fs/promises'
import type { FormatMessage } from '../../../formats/worker.ts'
import { findStoreServing } from '../../../stores/registry.ts'
import type { TaskDryRun } from '../../model/model.ts'
import { rejectLimitOf } from '../../model/model.ts'
import type { Loader } from '../load/loader.ts'
import type { Running } from '../task-type.ts'

/** Dry run of a file that would be served directly: reads the file to its end; stages and indexes nothing. */
export async function dryRunFile(
  loader: Loader,
  { record, task }: Running,
  at: string,
  signal: AbortSignal,
): Promise<TaskDryRun> {
  const [file] = task.files
  const { source, layer, format, charset, keys, stopIf } = task
  const serving = findStoreServing(format)
  if (file === undefined || source === undefined || format === undefined || serving === undefined) {
    throw new Error(`Task ${task.id} has no file that can be served in place`)
  }
  const rejectsPath = loader.dryRunRejectsPath(task)
  await rm(rejectsPath, { force: true })
  const messages: FormatMessage[] = []
  const plan = {
    loadId: '',
    source: { kind: 'file' as const, file, format, layer: source, charset },
    transforms: [],
    connection: { type: serving.type, parameters: { path: file.path } },
    isReadOnly: true,
    mode: 'CREATE' as const,
    table: source.name,
    rejectsPath,
    rejectLimit: rejectLimitOf(task),
    trial: { isDryRun: true, accepted: [], keys, stopIf },
    srs: layer?.srs,
  }
  const { trial: dryRun } = await loader.performDryRun(plan, {
    task,
    startedMs: performance.now(),
    signal,
    messages,
  })
  const name = `${record.workspace}:${layer?.name ?? ''}`
  return {
    at,
    mode: task.updateMode,
    target: { layer: name, version: null },
    found: { ...dryRun, messages: [...messages, ...dryRun.messages] },
  }
}
