import type { FeatureBatch } from '../../geo/batch.ts'
import type { TileQuery, TileReads } from '../store.ts'
import type { ChosenRows } from './choose-rows.ts'

/** Of shapes and texts, for one tile. What it reads bounds how long it takes, whatever the machine does besides. */
export const mostReadBytes = 512 << 20

/** Rows that are measured at once at most. */
const mostMeasured = 1_000
/** The parts in which rows are measured: no more is read in vain than one of them. */
const parts = 16

/** What all rows of a page hold. */
export function batchBytes(batch: FeatureBatch): number {
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
 * Of the chosen rows the largest, of equals those with the lowest keys, as many as may be read; the first whatever it
 * takes. Gives their ids in the order of the keys.
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
    const wanted = Array.from(some, (at) => ids[at] ?? '')
    const lengths = await measure(reads, { ...query, ids: wanted, ...(boxes && { boxes }) }, signal)
    for (const at of some) {
      total += lengths.get(ids[at] ?? '') ?? 0
      if (total > mostBytes && kept.length > 0) return inKeyOrder(kept, ids)
      kept.push(at)
    }
  }
  return inKeyOrder(kept, ids)
}

/** What has no place comes last. */
function orderedSize(sizes: Float32Array, at: number): number {
  const size = sizes[at] as number
  return Number.isNaN(size) ? -1 : size
}

/** As many as hold a part of what may be read, if they are like those before. */
function nextStep(rows: number, bytes: number, mostBytes: number): number {
  if (rows === 0) return 1
  return Math.max(1, Math.min(mostMeasured, Math.floor((mostBytes / parts / (bytes + 1)) * rows)))
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
