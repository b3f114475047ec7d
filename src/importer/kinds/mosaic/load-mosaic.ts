import { join } from 'node:path'
import type { Message } from '../../../formats/format.ts'
import { invalid } from '../../../lib/errors.ts'
import type { UpdateMode } from '../../../stores/store.ts'
import type { GranuleRecord, IndexRow, TaskLoad, TaskRecord } from '../../model/model.ts'
import type { ImporterParts } from '../../parts.ts'
import { listGranules, rejectsPath } from '../../records/records.ts'
import type { Course } from '../../run/course.ts'
import { save } from '../../run/course.ts'
import type { LoadOutcome, LoadPlan } from '../../worker/worker.ts'
import { recordCommit, tellProgress } from '../load/stage-load.ts'
import type { Target } from '../load/target.ts'
import { bandsKey } from './check-granules.ts'
import { cornersOf, toGranule } from './granule.ts'
import { loadFolder, placeGranules, requireFiles } from './place-granules.ts'
import { readIndex } from './read-index.ts'

const namedInMessage = 10

function names(granules: { fileId: string }[]): string {
  const named = granules.slice(0, namedInMessage).map(({ fileId }) => `"${fileId}"`)
  const rest = granules.length - named.length
  return named.join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

/** With times given by hand, one that was forgotten would leave its granule out of every look at a time. */
function requireTimes(task: TaskRecord, granules: GranuleRecord[]): void {
  if (task.mosaic?.time.mode !== 'manual') return
  const timeless = granules.filter(({ timeMs }) => timeMs === undefined)
  if (timeless.length === 0) return
  throw invalid(
    'no-time',
    `With time.mode "manual" each granule needs a time: PUT {"timestamp": ...} to ${names(timeless)}`,
  )
}

/** Granules must be like those that a mosaic has already. */
function requireLikeness(task: TaskRecord, { layer }: Target): void {
  if (layer === undefined) return
  const { srs, raster } = layer.details
  const name = `${layer.workspace}:${layer.name}`
  if (task.layer?.srs !== srs) {
    throw invalid('other-crs', `The granules have ${task.layer?.srs}, but the mosaic "${name}" has ${srs}`)
  }
  const [found, wanted] = [task.source ?? {}, { ...(raster === undefined ? {} : { raster }) }].map(bandsKey)
  if (task.updateMode === 'REPLACE' || found === wanted) return
  throw invalid('other-bands', `The granules have the bands ${found}, but the mosaic "${name}" has ${wanted}`)
}

/** What tells that a granule is in a mosaic already: where it lies, for an upload what it is. */
function isSame(task: TaskRecord, granule: GranuleRecord) {
  const { minX, minY, maxX, maxY } = granule.envelope ?? { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  return task.isUploaded
    ? [granuleName(task, granule), granule.timeMs ?? '', minX, minY, maxX, maxY].join('|')
    : granule.file.path
}

/** The granule's name in its mosaic: its path below the data folder, or below that of its upload. */
function granuleName(task: TaskRecord, { fileId }: GranuleRecord): string {
  return task.isUploaded ? fileId.replace(/^\d+\//, '') : fileId
}

/** Of granules that are added those that the mosaic does not have yet. */
async function newGranules(
  parts: ImporterParts,
  course: Course,
  target: Target,
  granules: GranuleRecord[],
  signal: AbortSignal,
): Promise<GranuleRecord[]> {
  const { task } = course
  if (task.updateMode === 'REPLACE' || !target.isExisting) return granules
  const there = new Set<string>()
  const store = await parts.catalog.stores.open(target.store)
  for await (const one of readIndex(store, target.table, signal)) {
    there.add(task.isUploaded ? [one.file, one.timeMs ?? '', ...one.box].join('|') : one.location)
  }
  const isThere = (granule: GranuleRecord) => there.has(isSame(task, granule))
  const known = granules.filter(isThere)
  if (known.length === 0) return granules
  const message: Message = {
    level: 'warning',
    code: 'granule-there',
    message: `The mosaic has these granules already, they are not added again: ${names(known)}`,
  }
  await save(parts, course, { ...task, messages: [...task.messages, message] })
  return granules.filter((granule) => !isThere(granule))
}

function toRow(task: TaskRecord, load: TaskLoad, granule: GranuleRecord): IndexRow {
  const { raster, file, fileId, timeMs, sizeBytes } = granule
  const footprint = raster === undefined ? undefined : cornersOf(raster)
  if (raster === undefined || footprint === undefined) {
    throw new Error(`Granule "${fileId}" has no extent`)
  }
  return {
    file: granuleName(task, granule),
    location: task.isUploaded ? join(loadFolder(load), fileId) : file.path,
    width: raster.width,
    height: raster.height,
    sizeBytes,
    footprint,
    ...(timeMs === undefined ? {} : { timeMs }),
  }
}

/** Granules for a mosaic that is there are added to it unless they replace those that it has. */
function modeOf({ updateMode }: TaskRecord, { isExisting }: Target): UpdateMode {
  if (!isExisting) return 'CREATE'
  return updateMode === 'REPLACE' ? 'REPLACE' : 'APPEND'
}

async function planIndex(
  parts: ImporterParts,
  { task }: Course,
  target: Target,
  load: TaskLoad,
  granules: GranuleRecord[],
): Promise<LoadPlan> {
  const { srs } = task.layer ?? {}
  const store = await parts.catalog.stores.get(target.store.id)
  return {
    loadId: load.loadId,
    source: { kind: 'granules', rows: granules.map((granule) => toRow(task, load, granule)) },
    transforms: [],
    connection: await parts.catalog.stores.connection(store),
    mode: modeOf(task, target),
    table: load.table,
    rejectsPath: rejectsPath(parts, task.importId, task.id),
    rejectLimit: { rows: 0 },
    ...(srs === undefined ? {} : { srs }),
  }
}

/** The granules of a mosaic, or the one that a single raster for a mosaic's layer is. */
async function granulesOf(parts: ImporterParts, task: TaskRecord): Promise<GranuleRecord[]> {
  const place = { importId: task.importId, taskId: task.id }
  if (task.mosaic !== undefined) return listGranules(parts.database.kysely, place)
  const { source, format } = task
  return task.files.map((file) =>
    toGranule(
      { file, layers: source === undefined ? [] : [source], format },
      { ...place, folder: task.folder },
    ),
  )
}

/** Puts the granules of uploads where they stay, and all into the index; nothing is visible unless it returns. */
export async function loadMosaic(
  parts: ImporterParts,
  course: Course,
  target: Target,
  load: TaskLoad,
  signal: AbortSignal,
): Promise<LoadOutcome> {
  const all = await granulesOf(parts, course.task)
  requireTimes(course.task, all)
  requireLikeness(course.task, target)
  const granules = await newGranules(parts, course, target, all, signal)
  await requireFiles(granules, signal)
  const startedMs = performance.now()
  const tell = (rows: number): void =>
    tellProgress(parts, course.task, startedMs, { phase: 'loading', rows, rejected: 0 })
  if (course.task.isUploaded) await placeGranules(load, granules, { signal, onGranule: tell })
  const messages: Message[] = []
  return parts.pool.load(await planIndex(parts, course, target, load, granules), {
    signal,
    onProgress: (progress) => tellProgress(parts, course.task, startedMs, progress),
    onMessage: (message) => messages.push(message),
    beforeCommit: (token, outcome) => recordCommit(parts, course, load, token, outcome, messages),
  })
}
