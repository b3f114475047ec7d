import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { CatalogTransaction } from '../../../catalog/doors/transaction.ts'
import type { StoreRecord } from '../../../catalog/records.ts'
import type { DataFile, LayerDescription, Message } from '../../../formats/format.ts'
import type { CopyHooks } from '../../../lib/copy-file.ts'
import { invalid } from '../../../lib/errors.ts'
import type { CoverageStoreType } from '../../../stores/rasters/coverage-types.ts'
import { isCoverageStoreType } from '../../../stores/rasters/coverage-types.ts'

import { outputFormat } from '../../../transforms/raster/output-format.ts'

import type { TaskLayer, TaskRecord } from '../../model/model.ts'

import type { ImporterParts } from '../../parts.ts'
import { copyAll, copyFolder, fillFolder, storeFolder } from '../../publish/file-store.ts'
import { publishTask } from '../../publish/publish.ts'
import type { Course } from '../../run/course.ts'
import { watchBytes } from './byte-progress.ts'
import { placedDescription, writePlace } from './place-copy.ts'
import { transformRaster } from './transform-raster.ts'

/** A raster to publish. */
interface MadeRaster {
  path: string
  /** A copy of ours in a folder of its own; otherwise the user's file where it lies. */
  isOurs: boolean
  type: CoverageStoreType
  description: LayerDescription
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
  throw invalid('file-gone', `"${basename(path)}" is not there any more: put it back, or use a new import`)
}

/** What the task's transformations make of its file; the layer takes its place from it. */
async function makeTransformed(
  parts: ImporterParts,
  course: Course,
  { path: source }: DataFile,
  signal: AbortSignal,
): Promise<MadeRaster> {
  const { record, task } = course
  const folder = storeFolder(parts, record, { path: source, origin: `task ${record.id}/${task.id}` })
  let description: LayerDescription | undefined
  const path = await fillFolder(folder, async (staging) => {
    const made = await transformRaster(parts, task, staging, signal)
    description = made.description
    course.task = { ...task, layer: made.layer }
    return made.main
  })
  if (description === undefined) throw new Error(`Task ${task.id} made no raster`)
  return { path, isOurs: true, type: outputFormat, description }
}

/** The file to publish: what the chain makes, the source where it lies, or a whole copy of ours where it was uploaded. */
async function makeRaster(
  parts: ImporterParts,
  course: Course,
  { task, file, layer, source, type }: RasterTask,
  hooks: CopyHooks,
): Promise<MadeRaster> {
  if (task.transforms.length > 0) return makeTransformed(parts, course, file, hooks.signal)
  const description = placedDescription(source, layer)
  if (!task.isUploaded) return { path: file.path, isOurs: false, type, description }
  const path = await fillFolder(copyFolder(parts, course.record, file), async (folder) => {
    const main = await copyAll(file, folder, hooks)
    await writePlace({ folder, main }, source, layer)
    return main
  })
  return { path, isOurs: true, type, description }
}

/** The store of the layer that is replaced, pointed to the new file, or a new store. */
async function placeStore(
  change: CatalogTransaction,
  { record, task }: Course,
  made: MadeRaster,
): Promise<{ store: StoreRecord; former?: StoreRecord }> {
  const name = task.layer?.name ?? ''
  const parameters = { path: made.path }
  const layer = task.updateMode === 'REPLACE' ? await change.findLayer(record.workspace, name) : undefined
  if (layer === undefined) {
    return { store: await change.addFileStore(record.workspace, { name, type: made.type, parameters }) }
  }
  const former = await change.getStore(layer.storeId)
  return { store: await change.moveStore(former.id, { type: made.type, parameters }), former }
}

/** What people should know of a REPLACE: the layer's place is that of the new file. */
async function replaceMessages(parts: ImporterParts, { record, task }: Course): Promise<Message[]> {
  if (task.updateMode !== 'REPLACE') return []
  const layer = await parts.catalog.layers.find(record.workspace, task.layer?.name ?? '')
  const before = layer?.details.srs
  const after = task.layer?.srs
  if (before === undefined || after === undefined || before === after) return []
  const message = `The layer was in ${before} and is now in ${after}, as its new file is`
  return [{ level: 'warning', code: 'crs-changed', message }]
}

/** Publishes what was made; gives the file that the layer read before, where there is one. */
async function publishRaster(
  parts: ImporterParts,
  course: Course,
  layer: TaskLayer,
  made: MadeRaster,
): Promise<string | undefined> {
  const { record } = course
  const messages = [...course.task.messages, ...(await replaceMessages(parts, course))]
  const task = { ...course.task, messages }
  const isNewLayer = task.updateMode === 'CREATE'
  const place = { storeId: 0, table: layer.nativeName, layerName: layer.name, isNewLayer }
  let former: StoreRecord | undefined
  course.task = await publishTask(parts, record, task, place, made.description, async (change) => {
    const placed = await placeStore(change, course, made)
    former = placed.former
    return placed.store
  })
  return former?.parameters.path
}

/** What cannot be removed now goes with other unused folders a day later. */
async function removeUnused(parts: ImporterParts, path: string | undefined): Promise<void> {
  if (path === undefined) return
  await parts.catalog.stores.files
    .removeUnused(path)
    .catch((error: unknown) =>
      parts.log.warn({ err: error, path }, 'a raster that is not used was not removed'),
    )
}

/** Publishes the task's raster as a coverage: one transaction makes or moves the store and the layer. */
export async function runRaster(
  parts: ImporterParts,
  course: Course,
  signal: AbortSignal,
): Promise<TaskRecord> {
  const raster = requireRaster(course.task)
  await requireFile(raster.file)
  const made = await makeRaster(parts, course, raster, { signal, onBytes: watchBytes(parts, course.task) })
  try {
    signal.throwIfAborted()
    await removeUnused(parts, await publishRaster(parts, course, raster.layer, made))
  } catch (error) {
    await removeUnused(parts, made.path)
    throw error
  }
  return course.task
}
