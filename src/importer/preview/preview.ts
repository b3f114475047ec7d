import { stat } from 'node:fs/promises'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import { conflict, Failure, notFound } from '../../core/errors/errors.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import { reprojectEnvelope } from '../../geo/reproject-envelope.ts'
import type { SideTable, SideTables } from '../../render/index.ts'
import type { PagePart, Tile } from '../../stores/index.ts'
import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import type { Keeping } from '../records/records.ts'
import { findImport, findTask } from '../records/records.ts'
import type { Running, TaskTypes } from '../task-types/task-types.ts'
import type { LoadPool, RowsForm, RowsPart } from '../worker/worker.ts'
import type { PreviewPlan } from './plan-preview.ts'
import { planPreview } from './plan-preview.ts'
import { PreviewFolder } from './preview-folder.ts'
import { asFailure, PreviewScan } from './preview-scan.ts'
import { PreviewWorkers } from './preview-workers.ts'
import type { Counted, RowsFile } from './scan-rows.ts'

interface PreviewDeps {
  records: Keeping
  kinds: Pick<TaskTypes, 'of'>
  pool: LoadPool
  sides: SideTables
  folders: { sides: string; stores: string }
  /** Maximum total size of row files, in bytes. */
  maxBytes: number
  log: Pick<Logger, 'warn'>
  onEnd(error: Error): void
}

/** The rows that a map shows. */
type ShownRows = Pick<RowsFile, 'rows' | 'isWhole'>

/** A preview without requests for this time is stopped while counting, or removed when complete. */
const idleMs = { counting: 60_000, whole: 900_000 }
/** Maximum age of a preview of a database, which does not report changes. */
const maxAgeMs = 600_000
const checkMs = 15_000
/** Maximum number of previews, and of previews of one task, which differ by the assumed CRS. */
const maxScans = 100
const maxOfTask = 3
/** Pause before a failed preview may be tried again. */
const failurePauseMs = 3000
/** Maximum wait of a map request for the first rows. */
const firstFileMs = 15_000

/** Previews the rows of tasks before anything is loaded. */
export class Previews {
  readonly #deps: PreviewDeps
  readonly #workers: PreviewWorkers
  readonly #folder: PreviewFolder
  /** By import, task, and request. */
  readonly #scans = new Map<string, PreviewScan>()
  #count = 0
  #checking: NodeJS.Timeout | undefined

  constructor(deps: PreviewDeps) {
    this.#deps = deps
    this.#workers = new PreviewWorkers({ pool: deps.pool, ownFolder: deps.folders.stores, onEnd: deps.onEnd })
    this.#folder = new PreviewFolder(deps.folders.sides)
  }

  /**
   * Yields the rows as they would be loaded, read from the source up to the requested ones. `srs` is the CRS to
   * assume for the data.
   */
  async *rows(
    running: Running,
    { srs, ...part }: { limit: number; offset: number; form: RowsForm; srs?: string },
    signal: AbortSignal,
  ): AsyncGenerator<RowsPart> {
    const { plan, crs } = await planPreview(this.#deps.kinds, running, srs)
    try {
      yield* this.#workers.rows({ plan, ...part, crs }, signal)
    } catch (error) {
      throw asFailure(error)
    }
  }

  /**
   * Returns column statistics as far as counted; waits `waitMs` for all rows. `total` is the number of rows
   * according to the source.
   */
  async columns(
    running: Running,
    { srs, waitMs }: { srs?: string | undefined; waitMs: number },
    signal: AbortSignal,
  ): Promise<Counted & { total?: number }> {
    const scan = await this.#findScan(running, await planPreview(this.#deps.kinds, running, srs))
    const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.max(waitMs, firstFileMs))])
    await orAborted(scan.waitCounted(false), limit).catch((error: unknown) =>
      throwNotReady(error, limit, signal),
    )
    const patience = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    if (waitMs > 0)
      await orAborted(scan.waitCounted(true), patience).catch((error: unknown) => {
        if (!patience.aborted || signal.aborted) throw error
      })
    const { counted } = scan
    if (counted === undefined) throw notReady()
    const total = running.task.source?.featureCount
    return total === undefined ? counted : { ...counted, total }
  }

  /** Returns a vector tile of the rows read so far. */
  async tile(
    running: Running,
    { tile, srs }: { tile: TileAddress; srs?: string | undefined },
    signal: AbortSignal,
  ): Promise<{ tile: Tile; part: ShownRows }> {
    const { side, file } = await this.#fileOf(running, srs, signal)
    return { tile: await this.#deps.sides.tile(side, { tile }, signal), part: file }
  }

  /** Returns the first of the rows read so far as GeoJSON, with the bounds of all of them. */
  async features(
    running: Running,
    { limit, srs }: { limit: number; srs?: string | undefined },
    signal: AbortSignal,
  ): Promise<{ parts: AsyncIterable<PagePart>; part: ShownRows; bbox: number[] | undefined }> {
    const { side, file } = await this.#fileOf(running, srs, signal)
    const bbox = await geographicBounds(file, side.crs)
    return { parts: this.#deps.sides.page(side, { limit }, signal), part: file, bbox }
  }

  /** Cancels previews of an import, or of one of its tasks. */
  async drop(importId: number, taskId?: number): Promise<void> {
    const prefix = taskId === undefined ? `${importId}/` : `${importId}/${taskId}/`
    for (const key of [...this.#scans.keys()]) if (key.startsWith(prefix)) await this.#drop(key)
  }

  /** Removes files left by killed processes, and starts removing idle previews. */
  async start(): Promise<void> {
    // If no other process writes to the catalogue, no other process uses this folder.
    const isAlone = this.#deps.records.database.writes() !== undefined
    await this.#folder.sweep({ isAlone })
    this.#checking = setInterval(() => void this.#check(), checkMs).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#checking)
    await Promise.all([...this.#scans.keys()].map((key) => this.#drop(key)))
    await this.#workers.close()
    await this.#folder.close()
  }

  async #fileOf(
    running: Running,
    srs: string | undefined,
    signal: AbortSignal,
  ): Promise<{ side: SideTable; file: RowsFile }> {
    const planned = await planPreview(this.#deps.kinds, running, srs)
    const { task } = running
    const { crs, geometry } = planned
    if (geometry === undefined)
      throw notFound('no-tiles', `The rows of task ${task.id} have no geometry, so they have no map`)
    if (crs === undefined)
      throw conflict(
        'no-crs',
        `Task ${task.id} is ${task.state}: set the parameter srs to preview the position of the data`,
      )
    const scan = await this.#findScan(running, planned)
    const limit = AbortSignal.any([signal, AbortSignal.timeout(firstFileMs)])
    await orAborted(scan.waitFile(), limit).catch((error: unknown) => throwNotReady(error, limit, signal))
    const { file } = scan
    if (file === undefined)
      throw new Failure('unavailable', 'no-room-for-tiles', 'These rows have too much data for a preview map')
    const { path, table, rows } = file
    return { file, side: { path, table, rows, crs, name: task.layer?.name ?? 'rows' } }
  }

  /** Returns the running or complete preview, or starts one. */
  async #findScan({ task }: Running, planned: PreviewPlan): Promise<PreviewScan> {
    const ofTask = `${task.importId}/${task.id}/`
    const key = ofTask + planned.key
    const known = this.#scans.get(key)
    if (known !== undefined && !isStale(known, task.table !== undefined)) return touched(known)
    if (known !== undefined) await this.#drop(key)
    await this.#makeRoom(ofTask)
    const folder = await this.#folder.open()
    // Another call may have started it in the meantime.
    const other = this.#scans.get(key)
    if (other !== undefined) return touched(other)
    this.#count += 1
    const scan = new PreviewScan(planned, {
      workers: this.#workers,
      folder,
      name: String(this.#count),
      maxBytes: this.#deps.maxBytes - (await this.#sizeBytes()),
      remove: (path) => this.#deps.sides.remove(path),
    })
    this.#scans.set(key, scan)
    return scan
  }

  /** Removes the least recently used previews if there are too many or they take too much space. */
  async #makeRoom(ofTask: string): Promise<void> {
    const oldest = (keys: string[]): string | undefined =>
      keys.sort((one, other) => this.#usedMs(one) - this.#usedMs(other))[0]
    const keysOf = (prefix: string): string[] =>
      [...this.#scans.keys()].filter((key) => key.startsWith(prefix))
    for (const [prefix, most] of [
      [ofTask, maxOfTask],
      ['', maxScans],
    ] as const) {
      for (let keys = keysOf(prefix); keys.length >= most; keys = keysOf(prefix))
        await this.#drop(oldest(keys) ?? '')
    }
    while ((await this.#sizeBytes()) > this.#deps.maxBytes / 2 && this.#scans.size > 0)
      await this.#drop(oldest(keysOf('')) ?? '')
  }

  #usedMs(key: string): number {
    return this.#scans.get(key)?.usedMs ?? 0
  }

  async #sizeBytes(): Promise<number> {
    let sizeBytes = 0
    for (const { file } of this.#scans.values())
      if (file !== undefined) sizeBytes += (await stat(file.path).catch(() => undefined))?.size ?? 0
    return sizeBytes
  }

  async #drop(key: string): Promise<void> {
    const scan = this.#scans.get(key)
    this.#scans.delete(key)
    await scan
      ?.drop()
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'preview rows were not removed'))
  }

  /** Removes idle previews and outdated ones: other processes change tasks too. */
  async #check(): Promise<void> {
    try {
      for (const [key, scan] of [...this.#scans]) {
        const restMs = performance.now() - scan.usedMs
        const isIdle = restMs > (scan.isDone ? idleMs.whole : idleMs.counting)
        if (isIdle || !(await this.#isCurrent(key))) await this.#drop(key)
      }
      await this.#folder.sweep({ isAlone: false })
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'expired previews could not be removed')
    }
  }

  async #isCurrent(key: string): Promise<boolean> {
    const [importId, taskId] = key.split('/').map(Number)
    const db = this.#deps.records.database.kysely
    const record = await findImport(db, importId ?? -1)
    const task = await findTask(db, importId ?? -1, taskId ?? -1)
    return record !== undefined && task !== undefined && task.state !== 'COMPLETE'
  }
}

function touched(scan: PreviewScan): PreviewScan {
  scan.usedMs = performance.now()
  return scan
}

function isStale({ error, begunMs, isDone }: PreviewScan, isOfDatabase: boolean): boolean {
  const ageMs = performance.now() - begunMs
  if (error !== undefined) return ageMs > failurePauseMs
  return isDone && isOfDatabase && ageMs > maxAgeMs
}

function throwNotReady(error: unknown, limit: AbortSignal, client: AbortSignal): never {
  throw limit.aborted && !client.aborted ? notReady() : error
}

function notReady(): Failure {
  return new Failure('unavailable', 'preview-not-ready', 'No row has been read yet: try again in a moment', {
    retryAfterSeconds: 2,
  })
}

async function geographicBounds(
  { bounds }: RowsFile,
  crs: CrsDeclaration | string,
): Promise<number[] | undefined> {
  if (bounds === undefined) return undefined
  const [minX, minY, maxX, maxY] = bounds
  const reprojector = await createReprojector(crs, 'EPSG:4326')
  try {
    const box = await reprojectEnvelope(reprojector, { minX, minY, maxX, maxY })
    return box && [box.minX, box.minY, box.maxX, box.maxY]
  } finally {
    await reprojector.close()
  }
}
