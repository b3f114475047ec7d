import type { FeatureBatch } from '../../geo/batch.ts'
import type { TileQuery, TileReads } from '../store.ts'
import type { ChosenRows } from './choose-rows.ts'

/**
 * Maximum bytes of geometries and texts read for one tile. This bounds the duration independently of the
 * machine load.
 */
export const maxReadBytes = 512 << 20

/** Maximum number of rows measured at once. */
const maxMeasured = 1_000
/** Number of parts in which rows are measured: at most one part is read in vain. */
const parts = 16

/** Returns the size of all rows of a page. */
export function pageBytes(batch: FeatureBatch): number {
  return bytesBetween(batch, 0, batch.rowCount)
}

function bytesBetween({ geometry, columns }: FeatureBatch, from: number, to: number): number {
  let bytes = lengthOf(geometry?.offsets, from, to)
  for (const column of columns) if (column.kind === 'var') bytes += lengthOf(column.offsets, from, to)
  return bytes
}

function lengthOf(offsets: Uint32Array | undefined, from: number, to: number): number {
  return offsets === undefined ? 0 : (offsets[to] as number) - (offsets[from] as number)
}

/**
 * Chooses the largest rows, and of equally large ones those with the lowest keys, up to the byte limit;
 * always at least the first one. Returns their ids in the order of the keys.
 */
export async function chooseWithin(
  reads: TileReads,
  query: Omit<TileQuery, 'ids' | 'boxes'>,
  { ids, sizes = new Float32Array(ids.length), boxes }: ChosenRows,
  { mostBytes, signal }: { mostBytes: number; signal: AbortSignal },
): Promise<string[]> {
  const order = Uint32Array.from(ids, (_, at) => at)
  order.sort((a, b) => orderedSize(sizes, b) - orderedSize(sizes, a) || a - b)
  const kept: number[] = []
  let total = 0
  let step = 1
  for (let from = 0; from < order.length; from += step) {
    step = nextStep(kept.length, total, mostBytes)
    const some = order.subarray(from, from + step)
    const requested = Array.from(some, (at) => ids[at] ?? '')
    const lengths = await measure(reads, { ...query, ids: requested, boxes }, signal)
    for (const at of some) {
      total += lengths.get(ids[at] ?? '') ?? 0
      if (total > mostBytes && kept.length > 0) return inKeyOrder(kept, ids)
      kept.push(at)
    }
  }
  return inKeyOrder(kept, ids)
}

/** Rows without coordinates come last. */
function orderedSize(sizes: Float32Array, at: number): number {
  const size = sizes[at] as number
  return Number.isNaN(size) ? -1 : size
}

/**
 * Returns the number of rows that fill one part of the limit, if they have the average size of the previous
 * ones.
 */
function nextStep(rows: number, bytes: number, mostBytes: number): number {
  if (rows === 0) return 1
  return Math.max(1, Math.min(maxMeasured, Math.floor((mostBytes / parts / (bytes + 1)) * rows)))
}

async function measure(
  reads: TileReads,
  query: TileQuery,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const lengths = new Map<string, number>()
  for await (const { batch, ids } of reads.readTile(query, signal))
    for (let row = 0; row < batch.rowCount; row += 1)
      lengths.set(ids[row] ?? '', bytesBetween(batch, row, row + 1))
  signal.throwIfAborted()
  return lengths
}

function inKeyOrder(kept: number[], ids: readonly string[]): string[] {
  return kept.sort((a, b) => a - b).map((at) => ids[at] ?? '')
}
