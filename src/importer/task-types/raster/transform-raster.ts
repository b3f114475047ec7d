import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { Failure } from '../../../core/errors/errors.ts'
import { without } from '../../../core/values/defined.ts'
import type { DataFile, LayerDescription } from '../../../formats/worker.ts'
import { authorityCode, programText } from '../../../geo/crs-program-text.ts'
import { findUncodedCrs } from '../../../geo/crs-uncoded.ts'
import {
  placeRaster,
  type RasterPlacement,
  rasterSteps,
  type TransformSpec,
} from '../../../transforms/index.ts'
import type { TaskLayer, TaskRecord } from '../../model/model.ts'
import { crsOfSource } from '../../model/model.ts'
import type { ProgressBoard } from '../../runtime/runtime.ts'
import { progressTeller } from './byte-progress.ts'
import { requirePrograms } from './check-transforms.ts'
import type { RasterDeps } from './run-tools.ts'

import { runTools } from './run-tools.ts'

const specsOf = ({ transforms }: TaskRecord): TransformSpec[] => transforms.map(({ spec }) => spec)

/**
 * Returns the CRS passed to the programs: the code of the layer, or the declared definition without a code.
 */
function inputCrs(task: TaskRecord): string | undefined {
  const crs = crsOfSource(task)
  if (task.layer?.srs !== undefined || crs === undefined) return task.layer?.srs
  return findUncodedCrs(crs) === undefined ? undefined : programText(crs)
}

/**
 * Returns the georeferencing of the raster after its chain. Before the chain, values of the client override
 * those of the file.
 */
export function placementOf(task: TaskRecord): RasterPlacement {
  const { source } = task
  const start: RasterPlacement = {
    srs: inputCrs(task),
    hasExtent: source?.envelope !== undefined,
    hasControlPoints: source?.raster?.controlPointCount !== undefined,
  }
  return placeRaster(start, specsOf(task))
}

/** Returns the layer of the result: with its georeferencing, unless only overviews were added. */
function layerOf(task: TaskRecord, layer: TaskLayer, { raster }: LayerDescription): TaskLayer {
  if (!rasterSteps(specsOf(task)).some(({ transform }) => transform.writesOutput)) return layer
  const rest = without(layer, 'bounds', 'srs', 'srsCandidates')
  const { srs } = placementOf(task)
  const code = (srs === undefined ? undefined : authorityCode(srs)) ?? raster?.crs?.srs
  return { ...rest, srs: code }
}

export interface TransformedRaster {
  /** File name in the folder. */
  main: string
  description: LayerDescription
  layer: TaskLayer
}

type TransformDeps = Pick<RasterDeps, 'pool' | 'progress' | 'tools'>

/** Waits for a free slot, runs the programs of the chain in the folder and returns the path of the result. */
async function runChain(
  progress: ProgressBoard,
  tools: TransformDeps['tools'],
  task: TaskRecord,
  { file, folder }: { file: DataFile; folder: string },
  signal: AbortSignal,
): Promise<string> {
  const { format = '', source } = task
  const tell = progressTeller({ progress }, task, 'transforming')
  const total = source?.raster?.sizeBytes ?? 0
  const { limits, turns } = tools
  const leave = await turns.enter({ signal })
  try {
    return await runTools({
      file,
      format,
      specs: specsOf(task),
      folder,
      limits,
      signal,
      srs: inputCrs(task),
      onProgress: (share) => tell(Math.floor(share * total)),
    })
  } finally {
    leave()
  }
}

/**
 * Runs the chain of the task and leaves only its result in the folder, which must be empty. The source is
 * only read. Throws a `Failure` with the reason.
 */
export async function transformRaster(
  deps: TransformDeps,
  task: TaskRecord,
  folder: string,
  signal: AbortSignal,
): Promise<TransformedRaster> {
  const [file] = task.files
  const { layer } = task
  if (file === undefined || layer === undefined) throw new Error(`Task ${task.id} has no raster`)
  await requirePrograms(specsOf(task))
  const work = join(folder, 'work')
  await mkdir(work)
  const made = await runChain(deps.progress, deps.tools, task, { file, folder: work }, signal)
  const main = `${basename(file.path, extname(file.path))}.tif`
  const path = join(folder, main)
  await rename(made, path)
  await rm(work, { recursive: true })
  const { layers, error } = await deps.pool.describe({ path, sidecars: {} }, { signal })
  const [description] = layers
  if (description?.raster === undefined) {
    throw new Failure(
      'invalid',
      'bad-result',
      `The result of the transformations cannot be read: ${error ?? ''}`,
    )
  }
  return { main, description, layer: layerOf(task, layer, description) }
}
