import { getStoreDescription } from '../../stores/registry.ts'
import type { NumberedEnvelopes, TileReads, VectorStore } from '../../stores/store.ts'
import { GrowingArray } from './growing-array.ts'
import { IdList } from './id-list.ts'
import { sortNumbered } from './sort-numbered.ts'

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

/** The envelopes of all rows of a table, in the order of their keys. */
export async function readEnvelopes(reads: TileReads, wish: EnvelopeReadOptions): Promise<Envelopes> {
  const numbered = await reads.readNumbered?.(wish.table, wish.signal)
  return numbered === undefined ? readInOrder(reads, wish) : readAndSort(numbered, wish)
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
