import { statfsSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { dirname } from 'node:path'
import type { CallContext } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Schema } from '../../geo/schema.ts'
import type { FeaturePage, StoreConnection, TileReads, VectorStore } from '../../stores/index.ts'
import { openVectorStore } from '../../stores/registry.ts'
import { tileReadingOf } from '../../stores/worker.ts'
import { CellMessages } from '../../tiles/cell-messages.ts'
import type { FeaturePositions } from '../../tiles/generalize/feature-positions.ts'
import { positionEnvelopesOf } from '../../tiles/generalize/position-envelopes.ts'
import { quadOrder } from '../../tiles/generalize/quad-order.ts'
import { writeChunk } from '../../tiles/rows/row-chunk.ts'
import {
  directoryHeadBytes,
  roundedSides,
  sidesAround,
  writeDirectory,
  writeHead,
} from '../../tiles/rows/row-directory.ts'
import type { IdList } from './id-list.ts'
import { hasLastingIds, readEnvelopes } from './read-envelopes.ts'

/** Table to convert to a row file, and the target path. Plain data. */
export interface RowFileRequest {
  connection: StoreConnection
  table: string
  crs: CrsDeclaration | string
  path: string
  /** Maximum size of the file, in bytes. */
  maxBytes: number
}

/** Rows per chunk: more make small tiles slower, fewer large ones. */
const chunkRows = 32
/** Size of one write to the disk. */
const maxWaitingBytes = 1 << 18
/** Rows per read: the page size of stores. */
const requestedRows = 256
/** Disk space that must remain free, in bytes. */
const spareBytes = 256 << 20
const maxColumns = 256
/** Low priority: requests come first. */
const niceness = 5

/** Result: there is no file for a table without key, with binary columns, or with very many columns. */
export type RowFileMade = 'written' | 'none' | 'no-room'

async function make(request: RowFileRequest, { signal, notify }: CallContext<number>): Promise<RowFileMade> {
  setPriority(niceness)
  const { connection, table } = request
  const store = openVectorStore(connection, { isGuarded: true })
  try {
    const description = await store.findTable(table)
    if (description === undefined || !isFit(description.schema)) return 'none'
    return await tileReadingOf(store).atOneState(
      table,
      (reads) => writeRows(reads, { request, store, signal, notify }),
      signal,
    )
  } finally {
    await store.close()
  }
}

/** True if a row file is useful: binary columns, which no tile shows, would take most of its space. */
function isFit({ attributes }: Schema): boolean {
  return attributes.length <= maxColumns && attributes.every(({ type }) => type !== 'binary')
}

interface Making {
  request: RowFileRequest
  store: VectorStore
  signal: AbortSignal
  notify(rows: number): void
}

async function writeRows(reads: TileReads, { request, store, signal, notify }: Making): Promise<RowFileMade> {
  const { table, crs, path } = request
  const { ids, envelopes } = await readEnvelopes(reads, { table, signal, notify })
  if (envelopes.length === 0 || !(await hasLastingIds(store, table, ids))) return 'none'
  const order = nearOrder((await positionEnvelopesOf(crs))(envelopes))
  const sides = roundedSides(envelopes)
  await using file = await open(path, 'wx', 0o640)
  const writer = new RowFileWriter(file, request)
  for (let from = 0; from < order.length; from += requestedRows) {
    const near = order.subarray(from, from + requestedRows)
    const rows = near.slice().sort()
    const requested = Array.from(rows, (row) => ids.at(row))
    let at = 0
    for await (const page of reads.readTile({ table, ids: requested }, signal)) {
      const found = rowsOfPage(page, { rows, ids, from: at })
      at = found.next
      for (const part of partsOf(found.rows, near))
        if (!(await writer.add(page, part, sides))) return 'no-room'
    }
    notify(from)
  }
  signal.throwIfAborted()
  await writer.finish()
  return 'written'
}

/** Returns which rows of the table a page contains: some of the requested ids may be missing. */
function rowsOfPage(
  { ids: found }: FeaturePage,
  { rows, ids, from }: { rows: Uint32Array; ids: IdList; from: number },
): { rows: Uint32Array; next: number } {
  let next = from
  const numbers = found.map((id) => {
    while (next < rows.length && ids.at(rows[next] as number) !== id) next += 1
    if (next === rows.length) throw new Error('Rows of a table came in another order than their envelopes')
    next += 1
    return rows[next - 1] as number
  })
  return { rows: Uint32Array.from(numbers), next }
}

/** Rows of one chunk: their positions in the page and in the table. */
interface ChunkPart {
  rows: number[]
  places: Uint32Array
}

/** Groups the rows of a page by chunk, each group in key order. */
function partsOf(rows: Uint32Array, near: Uint32Array): ChunkPart[] {
  const chunkOf = new Map<number, number>()
  for (const [index, row] of near.entries()) chunkOf.set(row, Math.floor(index / chunkRows))
  const chunks: number[][] = []
  for (const [at, row] of rows.entries()) {
    const chunk = chunkOf.get(row) ?? 0
    chunks[chunk] ??= []
    chunks[chunk].push(at)
  }
  return chunks
    .filter(Boolean)
    .map((places) => ({ rows: places, places: Uint32Array.from(places, (at) => rows[at] as number) }))
}

/** Orders rows by location, so that near rows are adjacent; rows without a location are last. */
function nearOrder(positions: FeaturePositions): Uint32Array {
  const { rows } = quadOrder(positions)
  if (rows.length === positions.count) return rows
  const all = new Uint32Array(positions.count)
  all.set(rows)
  let at = rows.length
  for (let row = 0; row < positions.count; row += 1) {
    if (!Number.isNaN(positions.size[row] as number)) continue
    all[at] = row
    at += 1
  }
  return all
}

/** Writes a row file chunk by chunk, and its directory at the end. */
class RowFileWriter {
  readonly #file: FileHandle
  readonly #request: RowFileRequest
  readonly #starts: number[] = [directoryHeadBytes]
  readonly #sides: number[] = []
  #schema: Schema | undefined
  #cells: CellMessages | undefined
  #waiting: Uint8Array[] = []
  #waitingBytes = 0

  constructor(file: FileHandle, request: RowFileRequest) {
    this.#file = file
    this.#request = request
  }

  /** Returns false if the disk is full. */
  async add({ batch, ids }: FeaturePage, { rows, places }: ChunkPart, sides: Float32Array): Promise<boolean> {
    this.#schema ??= batch.schema
    this.#cells ??= new CellMessages(batch.schema)
    const own = new Float32Array(places.length * 4)
    for (const [at, row] of places.entries()) own.set(sides.subarray(row * 4, row * 4 + 4), at * 4)
    const chunk = writeChunk({ batch, rows, ids, places, sides: own, cells: this.#cells })
    const start = this.#starts.at(-1) as number
    if (!this.#hasRoom(start + chunk.length)) return false
    this.#starts.push(start + chunk.length)
    this.#sides.push(...sidesAround(own))
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    if (this.#waitingBytes > maxWaitingBytes) await this.#write()
    return true
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting)
    await writeWhole(this.#file, bytes, (this.#starts.at(-1) as number) - this.#waitingBytes)
    this.#waiting = []
    this.#waitingBytes = 0
  }

  async finish(): Promise<void> {
    await this.#write()
    const starts = Float64Array.from(this.#starts)
    const directoryAt = this.#starts.at(-1) as number
    const schema = this.#schema ?? { attributes: [], geometry: undefined }
    const directory = writeDirectory({ schema, starts, sides: Float32Array.from(this.#sides) })
    const sizeBytes = directoryAt + directory.length
    await writeWhole(this.#file, directory, directoryAt)
    await this.#file.sync()
    const head = writeHead({ chunks: starts.length - 1, directoryAt, sizeBytes })
    await writeWhole(this.#file, head, 0)
    await this.#file.sync()
  }

  #hasRoom(sizeBytes: number): boolean {
    const { path, maxBytes } = this.#request
    if (sizeBytes > maxBytes) return false
    // Checking the disk for each chunk would cost as much as writing it.
    if (this.#starts.length % 64 !== 1) return true
    const { bsize, bavail } = statfsSync(dirname(path))
    return bsize * bavail > spareBytes
  }
}

/** Repeats the write until all bytes are written, since a nearly full disk may accept fewer. */
async function writeWhole(file: FileHandle, bytes: Uint8Array, from: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, from + at)
    if (bytesWritten === 0) throw new Error('Nothing could be written')
    at += bytesWritten
  }
}

const handlers = { make }
export type RowFileHandlers = typeof handlers

serveWork(handlers)
