import { parse } from 'node:path'
import type { Catalog } from '../../catalog/index.ts'
import { Failure, invalid } from '../../core/errors/errors.ts'
import { without } from '../../core/values/defined.ts'
import { startThread } from '../../core/workers/start-thread.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import { parseSrs } from '../../geo/crs-database.ts'
import type { CrsClues } from '../../geo/crs-detection/hints.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import { chainSchema } from '../../transforms/chain.ts'
import type { TransformSpec } from '../../transforms/index.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { chosenSchema, crsOfSource, isWithoutGeometry } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import { listTasks } from '../records/records.ts'
import type { TaskTypes } from '../task-types/task-types.ts'
import type { LoadPool } from '../worker/worker.ts'
import type { CrsDetectionRequest, CrsDetectionWork, DetectedCrs, Neighbour } from './crs-detection-work.ts'

interface CrsDetectorDeps {
  records: Keeping
  kinds: Pick<TaskTypes, 'of'>
  pool: Pick<LoadPool, 'bounds'>
  catalog: Pick<Catalog, 'layers'>
  /** Called when a thread died, or was terminated. */
  onEnd(error: Error): void
}

const file = new URL('./crs-detection-work.ts', import.meta.url)
/** Maximum number of layers of a workspace used as evidence of the location. */
const maxNeighbours = 200
/**
 * Maximum number of files of an import for which candidates are computed; a client requests those of other
 * files.
 */
const maxProposed = 20
const deadlineMs = 30_000
const keepMs = 10_000
const maxQueued = 100

/** Detects candidate CRSs of data without a CRS, by the location they would have. */
export class CrsDetector {
  readonly #deps: CrsDetectorDeps
  readonly #threads: WorkPool<CrsDetectionWork>

  constructor(deps: CrsDetectorDeps) {
    this.#deps = deps
    this.#threads = new WorkPool<CrsDetectionWork>({
      start: (events) => startThread(file, events),
      limit: 1,
      surplusMs: keepMs,
      maxWaiting: { count: maxQueued, refuse: tooBusy },
      onEnd: deps.onEnd,
    })
  }

  /**
   * Returns the candidate CRSs of the data of a task, most likely first. `place` is the name of a country, an
   * area or a layer; without it the layers of the workspace and the other tasks of the import indicate the
   * location.
   */
  async candidates(
    { record, task }: { record: ImportRecord; task: TaskRecord },
    place: string | undefined,
    signal: AbortSignal,
    beside?: readonly TaskRecord[],
  ): Promise<DetectedCrs> {
    const crs = crsOfSource(task)
    const envelope = await this.#envelopeOf({ record, task }, signal)
    const layer = place === undefined ? undefined : await this.#layerNamed(place)
    const request: CrsDetectionRequest = {
      neighbours: layer ?? (place === undefined ? await this.#neighbours(record, task, beside) : []),
      declaration: crs,
      envelope,
      clues: cluesOf(task),
      place: place === undefined || layer !== undefined ? undefined : place,
    }
    return this.#threads.call('locate', request, { signal, deadlineMs })
  }

  /**
   * Adds candidate CRSs to tasks that name no CRS and are not clearly in degrees. Returns the other tasks
   * unchanged. Failures, timeouts and work over the limit are left to calls of `candidates`.
   */
  async propose(record: ImportRecord, tasks: TaskRecord[], signal: AbortSignal): Promise<TaskRecord[]> {
    const open = tasks.filter(isOpen).slice(0, maxProposed)
    const found = new Map<TaskRecord, TaskRecord>()
    const untilEnd = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
    for (const task of open) {
      if (untilEnd.aborted) break
      const located = await this.candidates({ record, task }, undefined, untilEnd, tasks).catch(
        () => undefined,
      )
      signal.throwIfAborted()
      const { candidates = [] } = located ?? {}
      const { layer } = task
      if (layer === undefined || candidates.length === 0) continue
      const srsCandidates = candidates.map(({ srs, wkt, name, confidence, evidence }) => ({
        srs,
        wkt,
        name,
        confidence,
        evidence,
      }))
      found.set(task, { ...task, layer: { ...layer, srsCandidates } })
    }
    return tasks.map((task) => found.get(task) ?? task)
  }

  /**
   * Adds candidate CRSs to an edited task if its transformations now create points from a table and no CRS is
   * set.
   */
  async proposeAgain(record: ImportRecord, task: TaskRecord, signal: AbortSignal): Promise<TaskRecord> {
    const { layer } = task
    if (layer === undefined || task.source === undefined || task.source.schema.geometry !== undefined)
      return task
    const rest = { ...task, layer: without(layer, 'srsCandidates') }
    const [proposed = rest] = await this.propose(record, [rest], signal)
    return proposed
  }

  async close(): Promise<void> {
    await this.#threads.close()
  }

  /** Returns the envelope from the source, or of the points that transformations create from its rows. */
  async #envelopeOf(
    { record, task }: { record: ImportRecord; task: TaskRecord },
    signal: AbortSignal,
  ): Promise<Envelope | undefined> {
    const { source } = task
    if (source === undefined || source.envelope !== undefined || !makesPoints(task)) return source?.envelope
    const { schema, ...rows } = await this.#deps.kinds.of(task).rows({ record, task })
    const transforms = untilPoints(chosenSchema(schema, { attributes: rows.attributes }), rows.transforms)
    return this.#deps.pool.bounds({ ...rows, transforms }, signal)
  }

  /**
   * Returns the layer with this name (`workspace:layer`); undefined if there is none, as for a place name.
   */
  async #layerNamed(name: string): Promise<Neighbour[] | undefined> {
    if (!name.includes(':')) return undefined
    const layer = await this.#deps.catalog.layers.findNamed(name)
    const { srs, envelope } = layer?.details ?? {}
    if (layer === undefined || srs === undefined || envelope === undefined) {
      throw invalid('unknown-place', `Layer "${name}" does not exist or has no known position on the earth`)
    }
    return [{ label: `layer ${layer.workspace}:${layer.name}`, srs, envelope }]
  }

  async #neighbours(
    { id, workspace }: ImportRecord,
    task: TaskRecord,
    given: readonly TaskRecord[] | undefined,
  ): Promise<Neighbour[]> {
    const layers = await this.#deps.catalog.layers.list({ workspace })
    const tasks = given ?? (await listTasks(this.#deps.records.database.kysely, id))
    const published = layers.map(({ name, details }) => ({ label: `layer ${workspace}:${name}`, ...details }))
    const beside = tasks
      .filter((one) => one !== task && (given !== undefined || one.id !== task.id))
      .map(({ source, layer }) => ({
        label: `"${source?.name ?? ''}" of this import`,
        srs: parseSrs(layer?.srs ?? ''),
        envelope: source?.envelope,
      }))
    return [...beside, ...published]
      .flatMap(({ label, srs, envelope }) =>
        srs === undefined || envelope === undefined ? [] : [{ label, srs, envelope }],
      )
      .slice(0, maxNeighbours)
  }
}

/** Returns the names of the data of a task, its columns and known values. */
function cluesOf({ source, files, table }: TaskRecord): CrsClues {
  const [file] = files
  const names = [source?.name, table, file === undefined ? undefined : parse(file.path).name]
  return {
    names: [...new Set(names.filter((name) => name !== undefined))],
    columns: (source?.schema.attributes ?? []).map(({ name, example }) => ({ name, example })),
  }
}

function isOpen(task: TaskRecord): boolean {
  const { layer, source } = task
  const isAnyFound = layer?.srsCandidates?.some(({ srs }) => srs !== null) === true
  if (makesPoints(task)) return !isAnyFound
  return layer?.srsCandidates !== undefined && !isAnyFound && source?.envelope !== undefined
}

/** Returns the transformations up to the one that creates the geometry. Later ones may need its CRS. */
function untilPoints(schema: Schema, transforms: readonly TransformSpec[]): TransformSpec[] {
  const parts = transforms.map((_, at) => transforms.slice(0, at + 1))
  return parts.find((part) => chainSchema(schema, part, {}).geometry !== undefined) ?? [...transforms]
}

/** True if a table needs the CRS of points that its transformations create. */
function makesPoints(task: TaskRecord): boolean {
  const { source, state } = task
  if (state !== 'NO_CRS' || source === undefined || source.raster !== undefined) return false
  return source.schema.geometry === undefined && task.transforms.length > 0 && !isWithoutGeometry(task)
}

function tooBusy(): Failure {
  return new Failure(
    'unavailable',
    'too-busy',
    'Too many requests are waiting for CRS detection: try again soon',
  )
}
