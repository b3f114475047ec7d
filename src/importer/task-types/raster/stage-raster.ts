import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { invalid } from '../../../core/errors/errors.ts'
import type { DataFile, LayerDescription } from '../../../formats/worker.ts'
import { type CoverageStoreType, isCoverageStoreType } from '../../../stores/index.ts'
import { outputFormat } from '../../../transforms/index.ts'
import type { TaskLayer, TaskRecord } from '../../model/model.ts'
import { copyAll, copyFolder, fillFolder, storeFolder } from '../../publish/publish.ts'
import type { Running } from '../task-type.ts'
import { watchBytes } from './byte-progress.ts'
import { placedDescription, writePlace } from './place-copy.ts'
import type { RasterDeps } from './run-tools.ts'

import type { TransformedRaster } from './transform-raster.ts'
import { transformRaster } from './transform-raster.ts'

/** A raster to publish. */
export interface StagedRaster {
  /** Path of the copy in its own folder, or of the user's file at its source location. */
  path: string
  type: CoverageStoreType
  description: LayerDescription
  /** Layer settings of the client. The bounds of a transformed raster are those of the result. */
  layer: TaskLayer
}

interface RasterTask {
  task: TaskRecord
  file: DataFile
  layer: TaskLayer
  source: LayerDescription
  type: CoverageStoreType
}

function requireRaster(task: TaskRecord): RasterTask {
  const [file] = task.files
  const { source, layer, format = '' } = task
  if (file === undefined || source === undefined || layer === undefined || !isCoverageStoreType(format)) {
    throw new Error(`Task ${task.id} has no raster that can be served`)
  }
  return { task, file, layer, source, type: format }
}

async function requireFile({ path }: DataFile): Promise<void> {
  if ((await stat(path).catch(() => undefined))?.isFile() === true) return
  throw invalid('file-gone', `"${basename(path)}" no longer exists: restore the file, or create a new import`)
}

/** Runs the transformations of the task on its file. The layer gets the bounds of the result. */
async function makeTransformed(
  deps: RasterDeps,
  { record, task }: Running,
  { path: source }: DataFile,
  signal: AbortSignal,
): Promise<StagedRaster> {
  const origin = `task ${record.id}/${task.id}`
  const folder = storeFolder(deps.folders.stores, record, { path: source, origin })
  let made: TransformedRaster | undefined
  const path = await fillFolder(folder, async (staging) => {
    made = await transformRaster(deps, task, staging, signal)
    return made.main
  })
  if (made === undefined) throw new Error(`Task ${task.id} created no raster`)
  const { description, layer } = made
  return { path, type: outputFormat, description, layer }
}

/**
 * Returns the file to publish: the result of the chain, the source at its location, or a whole copy of an
 * uploaded file.
 */
export async function stageRaster(
  deps: RasterDeps,
  running: Running,
  signal: AbortSignal,
): Promise<StagedRaster> {
  const { task, file, layer, source, type } = requireRaster(running.task)
  await requireFile(file)
  if (task.transforms.length > 0) return makeTransformed(deps, running, file, signal)
  const description = placedDescription(source, layer)
  if (!task.isUploaded) return { path: file.path, type, description, layer }
  const hooks = { signal, onBytes: watchBytes(deps, task) }
  const path = await fillFolder(copyFolder(deps.folders, running.record, file), async (folder) => {
    const main = await copyAll(file, folder, hooks)
    await writePlace({ folder, main }, source, layer)
    return main
  })
  return { path, type, description, layer }
}
