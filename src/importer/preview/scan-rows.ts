import { randomUUID } from 'node:crypto'
import { rmSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import type { Schema } from '../../geo/schema.ts'
import type { LoadResult } from '../../stores/index.ts'
import { openVectorStore, ownStores } from '../../stores/registry.ts'
import { commitLoad } from '../../stores/worker.ts'
import type { OpenRows, RowsPlan, WorkLocation } from '../worker/open-rows.ts'
import { openRows } from '../worker/open-rows.ts'
import type { RowFigures } from './column-figures.ts'
import { FigureCounter } from './column-figures.ts'

/** A scan of all rows of a task. Plain data; may contain secrets. */
export interface RowScanRequest {
  plan: RowsPlan
  /** Output files for rows with a geometry: the first rows, for an immediate map, and all rows. */
  paths: { first: string; whole: string }
  /** Approximate maximum size of the file of all rows; further rows are not written. */
  maxBytes: number
}

/** Statistics so far. Plain data. */
export interface Counted extends RowFigures {
  /** Numbers of rows that can be loaded, and of rows that cannot. */
  rows: number
  rejected: number
  /** True if these are all rows. */
  isWhole: boolean
}

/** A file of rows with their geometries. Plain data. */
export interface RowsFile {
  path: string
  table: string
  rows: number
  /** True if these are all rows. */
  isWhole: boolean
  /** In the coordinates of the rows: minx, miny, maxx, maxy. */
  bounds?: [number, number, number, number]
}

export type ScanNotice = { counted: Counted } | { file: RowsFile }

interface ScanContext {
  signal: AbortSignal
  notify(notice: ScanNotice): void
}

/** Number of rows that can be drawn within a second. */
const firstRows = 2000
const firstBytes = 8 << 20
/** Disk space that must remain free, in bytes. */
const spareBytes = 256 << 20
const tellMs = 500
/** Maximum share of the time spent on progress reports: 1/20. */
const tellShare = 20
const table = 'rows'

/** Counts the values of all rows, and writes rows with a geometry to files for maps. */
export async function scanRows(
  request: RowScanRequest,
  location: WorkLocation,
  context: ScanContext,
): Promise<Counted> {
  const { plan, paths, maxBytes } = request
  const first = await pass(
    { plan, path: paths.first, limit: firstRows, maxBytes: firstBytes },
    location,
    context,
  )
  if (first.isWhole) return first
  return pass({ plan, path: paths.whole, limit: Number.POSITIVE_INFINITY, maxBytes }, location, context)
}

interface RowScanPass {
  plan: RowsPlan
  path: string
  /** Maximum number of rows to read. */
  limit: number
  maxBytes: number
}

async function pass(
  rowScanPass: RowScanPass,
  location: WorkLocation,
  context: ScanContext,
): Promise<Counted> {
  const rows = await openRows(rowScanPass.plan, location, context.signal)
  const reading = new Reading(rows, rowScanPass.limit, context)
  try {
    if (rows.schema.geometry !== undefined) await writeFile(rows.schema, reading, rowScanPass, context)
    await reading.finish()
    const counted = reading.counted()
    context.notify({ counted })
    return counted
  } finally {
    await rows.close()
  }
}

/** The rows of one pass, counted as they are read. */
class Reading {
  rows = 0
  rejected = 0
  error: unknown
  /** True after the last row was read. */
  isEnd = false
  readonly #figures: FigureCounter
  readonly #batches: AsyncIterator<FeatureBatch>
  readonly #limit: number
  readonly #context: ScanContext
  #tellAt = 0

  constructor({ schema, batches }: OpenRows, limit: number, context: ScanContext) {
    this.#figures = new FigureCounter(schema)
    this.#batches = batches[Symbol.asyncIterator]()
    this.#limit = limit
    this.#context = context
  }

  /** Returns the next batch; undefined at the end, or when enough was read. */
  async next(): Promise<FeatureBatch | undefined> {
    this.#context.signal.throwIfAborted()
    if (this.isEnd || this.rows >= this.#limit) return undefined
    try {
      const { done, value } = await this.#batches.next()
      if (done === true) {
        this.isEnd = true
        return undefined
      }
      return this.#take(value)
    } catch (error) {
      this.error = error
      throw error
    }
  }

  /** Reads the remaining rows. */
  async finish(): Promise<void> {
    while ((await this.next()) !== undefined);
    if (!this.isEnd) await this.#batches.return?.()
  }

  counted(): Counted {
    const { rows, rejected } = this
    return { ...this.#figures.figures(this.isEnd), rows, rejected, isWhole: this.isEnd }
  }

  #take(batch: FeatureBatch): FeatureBatch {
    this.rows += batch.rowCount
    this.rejected += batch.rejects.length
    this.#figures.add(batch)
    this.#tell()
    return batch.rejects.length === 0 ? batch : { ...batch, rejects: [] }
  }

  #tell(): void {
    const begun = performance.now()
    if (begun < this.#tellAt) return
    this.#context.notify({ counted: this.counted() })
    const ended = performance.now()
    this.#tellAt = ended + Math.max(tellMs, (ended - begun) * tellShare)
  }
}

/**
 * Writes rows until the size limit of the file. A file that cannot be written does not affect the statistics.
 */
async function writeFile(
  schema: Schema,
  reading: Reading,
  { path, maxBytes }: RowScanPass,
  { signal, notify }: ScanContext,
): Promise<void> {
  const room = Math.min(maxBytes, freeBytes(path))
  let isFull = room <= 0
  async function* rowsToWrite(): AsyncGenerator<FeatureBatch> {
    let sizeBytes = 0
    while (!isFull) {
      const batch = await reading.next()
      if (batch === undefined) return
      yield batch
      sizeBytes += bytesOf(batch)
      isFull = sizeBytes > room
    }
  }
  try {
    const { rowsLoaded, envelope } = await store(schema, rowsToWrite(), path, signal)
    const isWhole = !isFull && reading.isEnd
    const bounds = envelope && { bounds: boundsOf(envelope) }
    notify({ file: { path, table, rows: rowsLoaded, isWhole, ...bounds } })
  } catch (error) {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
    signal.throwIfAborted()
    if (reading.error !== undefined) throw error
  }
}

async function store(
  schema: Schema,
  batches: AsyncIterable<FeatureBatch>,
  path: string,
  signal: AbortSignal,
): Promise<LoadResult> {
  const { geometry } = schema
  const target = openVectorStore({ type: ownStores.file.type, parameters: { path } })
  try {
    const request = {
      loadId: randomUUID(),
      mode: 'CREATE' as const,
      table,
      indexes: [],
      // The file has no CRS, since each request may assume a different one.
      schema: { ...schema, geometry: geometry && { ...geometry, crs: undefined } },
    }
    const hooks = { signal, onMessage: () => undefined, onReject: () => undefined }
    const staged = await target.stage(request, batches, hooks)
    return await commitLoad(staged, async () => undefined)
  } finally {
    await target.close()
  }
}

function boundsOf({
  minX,
  minY,
  maxX,
  maxY,
}: NonNullable<LoadResult['envelope']>): [number, number, number, number] {
  return [minX, minY, maxX, maxY]
}

function freeBytes(path: string): number {
  const { bsize, bavail } = statfsSync(dirname(path))
  return bsize * bavail - spareBytes
}

function bytesOf({ columns, geometry }: FeatureBatch): number {
  const sizeOf = (column: Column): number =>
    column.kind === 'var' ? column.bytes.length : column.values.byteLength
  return columns.reduce((sum, column) => sum + sizeOf(column), geometry?.bytes.length ?? 0)
}
