import { orderOfNumbers } from '../../core/values/order-of-numbers.ts'
import type { NumberedEnvelopes, TileReads, VectorStore } from '../../stores/index.ts'
import { getStoreDescription } from '../../stores/registry.ts'
import { IdList } from './id-list.ts'

/** Initial capacity. The system provides the memory when it is first written. */
const firstCapacity = 1 << 24
const growth = 4

/** A growing array of numbers that does not copy each part at the end, and rarely before. */
class GrowingArray {
  #values = new Float64Array(firstCapacity)
  length = 0

  get values(): Float64Array {
    return this.#values.subarray(0, this.length)
  }

  push(values: Float64Array): void {
    const length = this.length + values.length
    if (length > this.#values.length) {
      const larger = new Float64Array(Math.max(this.#values.length * growth, length))
      larger.set(this.values)
      this.#values = larger
    }
    this.#values.set(values, this.length)
    this.length = length
  }
}

/** PostgreSQL's physical row location (ctid), which replaces a key as long as the table is unchanged. */
const rowPlace = /^\(\d+,\d+\)$/

/** True if rows of a table can be read again, one at a time, by the ids that came with their envelopes. */
export async function hasLastingIds(store: VectorStore, table: string, ids: IdList): Promise<boolean> {
  if (ids.areKeys || getStoreDescription(store.type).file?.isIndexed === true) return true
  // A store may read the whole table to describe it.
  return rowPlace.test(ids.at(0)) || (await store.findTable(table))?.primaryKey !== undefined
}

interface Envelopes {
  ids: IdList
  envelopes: Float64Array
}

interface EnvelopeReadOptions {
  table: string
  signal: AbortSignal
  notify(rows: number): void
}

/** Reads the envelopes of all rows of a table, in key order. */
export async function readEnvelopes(reads: TileReads, options: EnvelopeReadOptions): Promise<Envelopes> {
  const numbered = await reads.readNumbered?.(options.table, options.signal)
  return numbered === undefined ? readInOrder(reads, options) : readAndSort(numbered, options)
}

async function readInOrder(
  reads: TileReads,
  { table, signal, notify }: EnvelopeReadOptions,
): Promise<Envelopes> {
  const ids = new IdList()
  const envelopes = new GrowingArray()
  for await (const page of reads.readEnvelopes({ table }, signal)) {
    ids.push(page.ids)
    envelopes.push(page.envelopes)
    notify(envelopes.length / 4)
  }
  return { ids, envelopes: envelopes.values }
}

async function readAndSort(
  pages: AsyncIterable<NumberedEnvelopes>,
  { notify }: EnvelopeReadOptions,
): Promise<Envelopes> {
  const ids = new GrowingArray()
  const envelopes = new GrowingArray()
  for await (const page of pages) {
    ids.push(page.ids)
    envelopes.push(page.envelopes)
    notify(ids.length)
  }
  const sorted = sortNumbered({ ids: ids.values, envelopes: envelopes.values })
  return { ids: IdList.ofKeys(sorted.ids), envelopes: sorted.envelopes }
}

/** Returns the same rows in the order of their ids. */
export function sortNumbered(rows: NumberedEnvelopes): NumberedEnvelopes {
  if (areSorted(rows.ids)) return rows
  const order = orderOfNumbers(rows.ids)
  const ids = new Float64Array(order.length)
  const envelopes = new Float64Array(order.length * 4)
  for (let to = 0; to < order.length; to += 1) {
    const from = order[to] as number
    ids[to] = rows.ids[from] as number
    envelopes[to * 4] = rows.envelopes[from * 4] as number
    envelopes[to * 4 + 1] = rows.envelopes[from * 4 + 1] as number
    envelopes[to * 4 + 2] = rows.envelopes[from * 4 + 2] as number
    envelopes[to * 4 + 3] = rows.envelopes[from * 4 + 3] as number
  }
  return { ids, envelopes }
}

function areSorted(ids: Float64Array): boolean {
  for (let at = 1; at < ids.length; at += 1) if ((ids[at] as number) < (ids[at - 1] as number)) return false
  return true
}
