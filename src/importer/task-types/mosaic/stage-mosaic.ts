import { join } from 'node:path'
import type { Catalog } from '../../../catalog/index.ts'
import type { Database } from '../../../core/db/connection.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { FormatMessage } from '../../../formats/worker.ts'
import { isSameCrs } from '../../../geo/crs-same.ts'
import type { UpdateMode } from '../../../stores/index.ts'
import type { GranuleRecord, IndexRow, TaskLoad, TaskRecord } from '../../model/model.ts'
import { listGranules } from '../../records/records.ts'
import type { LoadPlan } from '../../worker/worker.ts'
import type { StagedTaskRows } from '../load/loader.ts'
import type { Target } from '../load/target.ts'
import { cornersOf, footprintRows } from '../raster/footprint-rows.ts'
import type { Running, StageNotes, TaskRows } from '../task-type.ts'
import { bandsKey } from './check-granules.ts'
import { toGranule } from './granule.ts'
import type { MosaicDeps } from './mosaic-target.ts'

import { loadFolder, placeGranules, requireFiles } from './place-granules.ts'
import { readIndex } from './read-index.ts'

const namedInMessage = 10

/** Granules to stage and their target. */
export interface MosaicStage {
  running: Running
  load: TaskLoad
  target: Target
}

function names(granules: { fileId: string }[]): string {
  const named = granules.slice(0, namedInMessage).map(({ fileId }) => `"${fileId}"`)
  const rest = granules.length - named.length
  return named.join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

/** With manual times, a granule without a time would be missing from every request for a time. */
function requireTimes(task: TaskRecord, granules: GranuleRecord[]): void {
  if (task.mosaic?.time.mode !== 'manual') return
  const timeless = granules.filter(({ timeMs }) => timeMs === undefined)
  if (timeless.length === 0) return
  throw invalid(
    'no-time',
    `With time.mode "manual" each granule needs a time: PUT {"timestamp": ...} to ${names(timeless)}`,
  )
}

/** Throws if granules differ from those that a mosaic already has. */
function requireLikeness(task: TaskRecord, { layer }: Target): void {
  if (layer === undefined) return
  const { srs, raster } = layer.details
  const name = `${layer.workspace}:${layer.name}`
  if (!isSameCrs(task.layer?.srs, srs)) {
    throw invalid('other-crs', `The granules have ${task.layer?.srs}, but the mosaic "${name}" has ${srs}`)
  }
  const [found, requested] = [task.source ?? {}, { raster }].map(bandsKey)
  if (task.updateMode === 'REPLACE' || found === requested) return
  throw invalid(
    'other-bands',
    `The granules have the bands ${found}, but the mosaic "${name}" has ${requested}`,
  )
}

/**
 * Returns a predicate that recognizes a granule that the mosaic already has: by location, or by content for
 * an upload.
 */
function isSame(task: TaskRecord, granule: GranuleRecord) {
  const { minX, minY, maxX, maxY } = granule.envelope ?? { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  return task.isUploaded
    ? [granuleName(task, granule), granule.timeMs ?? '', minX, minY, maxX, maxY].join('|')
    : granule.file.path
}

/**
 * Returns the name of a granule in its mosaic: its path below the data folder, or below that of its upload.
 */
function granuleName(task: TaskRecord, { fileId }: GranuleRecord): string {
  return task.isUploaded ? fileId.replace(/^\d+\//, '') : fileId
}

/** Returns the granules that the mosaic does not have yet. */
async function newGranules(
  catalog: Catalog,
  { running: { task }, target }: MosaicStage,
  granules: GranuleRecord[],
  notes: StageNotes,
  signal: AbortSignal,
): Promise<GranuleRecord[]> {
  if (task.updateMode === 'REPLACE' || !target.isExisting) return granules
  const there = new Set<string>()
  const store = await catalog.stores.open(target.store)
  for await (const one of readIndex(store, target.table, signal)) {
    there.add(task.isUploaded ? [one.file, one.timeMs ?? '', ...one.box].join('|') : one.location)
  }
  const isThere = (granule: GranuleRecord) => there.has(isSame(task, granule))
  const known = granules.filter(isThere)
  if (known.length === 0) return granules
  const message: FormatMessage = {
    level: 'warning',
    code: 'granule-there',
    message: `The mosaic already contains these granules; they are not added again: ${names(known)}`,
  }
  await notes.say(message)
  return granules.filter((granule) => !isThere(granule))
}

function toRow(task: TaskRecord, load: TaskLoad, granule: GranuleRecord): IndexRow {
  const { file, fileId } = granule
  const row = rowOf(task, granule)
  if (row === undefined) throw new Error(`Granule "${fileId}" has no extent`)
  return { ...row, location: task.isUploaded ? join(loadFolder(load), fileId) : file.path }
}

/** Converts a granule to a row of the index without its location; undefined if the granule has no extent. */
function rowOf(task: TaskRecord, granule: GranuleRecord): Omit<IndexRow, 'location'> | undefined {
  const { raster, timeMs, sizeBytes } = granule
  const footprint = raster === undefined ? undefined : cornersOf(raster)
  if (raster === undefined || footprint === undefined) return undefined
  return {
    file: granuleName(task, granule),
    width: raster.width,
    height: raster.height,
    sizeBytes,
    footprint,
    timeMs,
  }
}

/** Granules for an existing mosaic are added unless they replace the present ones. */
function modeOf({ updateMode }: TaskRecord, { isExisting }: Target): UpdateMode {
  if (!isExisting) return 'CREATE'
  return updateMode === 'REPLACE' ? 'REPLACE' : 'APPEND'
}

async function planIndex(
  catalog: Catalog,
  loading: MosaicDeps['loading'],
  { running: { task }, load, target }: MosaicStage,
  granules: GranuleRecord[],
): Promise<LoadPlan> {
  return {
    loadId: load.loadId,
    source: { kind: 'granules', rows: granules.map((granule) => toRow(task, load, granule)) },
    transforms: [],
    connection: await catalog.stores.connection(await catalog.stores.get(target.store.id)),
    mode: modeOf(task, target),
    table: load.table,
    rejectsPath: loading.loader.rejectsPath(task),
    rejectLimit: { rows: 0 },
    srs: task.layer?.srs,
  }
}

/** Returns the granules of a mosaic, or a single raster as a granule of a mosaic layer. */
async function granulesOf(database: Database, task: TaskRecord): Promise<GranuleRecord[]> {
  const place = { importId: task.importId, taskId: task.id }
  if (task.mosaic !== undefined) return listGranules(database.kysely, place)
  const { source, format } = task
  return task.files.map((file) =>
    toGranule(
      { file, layers: source === undefined ? [] : [source], format },
      { ...place, folder: task.folder },
    ),
  )
}

/** Returns the rows that the index would contain. */
export async function granuleRows(database: Database, task: TaskRecord): Promise<TaskRows> {
  const granules = await granulesOf(database, task)
  return footprintRows(
    task,
    granules.flatMap((granule) => rowOf(task, granule) ?? []),
  )
}

/** Moves uploaded granules to their final folder and stages the rows of the index. */
export async function stageMosaic(
  deps: MosaicDeps,
  stage: MosaicStage,
  notes: StageNotes,
  signal: AbortSignal,
): Promise<StagedTaskRows> {
  const { running, load, target } = stage
  const { task } = running
  const all = await granulesOf(deps.database, task)
  requireTimes(task, all)
  requireLikeness(task, target)
  const granules = await newGranules(deps.catalog, stage, all, notes, signal)
  await requireFiles(granules, signal)
  const startedMs = performance.now()
  const onGranule = (rows: number): void =>
    deps.loading.loader.tell(task, startedMs, { phase: 'loading', rows, rejected: 0 })
  if (task.isUploaded) await placeGranules(load, granules, { signal, onGranule })
  const plan = await planIndex(deps.catalog, deps.loading, stage, granules)
  return deps.loading.loader.stage(plan, { task, startedMs, signal, messages: [] })
}
