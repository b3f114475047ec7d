import { getStoreDescription } from '../../stores/registry.ts'
import type { TileReads, VectorStore } from '../../stores/store.ts'
import { IdList } from './id-list.ts'

/** Where PostgreSQL has a row, which stands for its key as long as the table is what it was. */
const rowPlace = /^\(\d+,\d+\)$/

/** Whether rows of a table can be asked for again by the ids that their envelopes came with, one at a time. */
export async function hasLastingIds(store: VectorStore, table: string, ids: IdList): Promise<boolean> {
  if (getStoreDescription(store.type).file?.isIndexed === true) return true
  return (await store.findTable(table))?.primaryKey !== undefined || rowPlace.test(ids.at(0))
}

/** The envelopes of all rows of a table, in the order of their keys. */
export async function readEnvelopes(
  reads: TileReads,
  { table, signal, notify }: { table: string; signal: AbortSignal; notify(rows: number): void },
): Promise<{ ids: IdList; envelopes: Float64Array }> {
  const ids = new IdList()
  let envelopes = new Float64Array(1 << 16)
  let length = 0
  for await (const page of reads.readEnvelopes({ table }, signal)) {
    ids.push(page.ids)
    if (length + page.envelopes.length > envelopes.length) {
      const larger = new Float64Array(Math.max(envelopes.length * 2, length + page.envelopes.length))
      larger.set(envelopes)
      envelopes = larger
    }
    envelopes.set(page.envelopes, length)
    length += page.envelopes.length
    notify(length / 4)
  }
  return { ids, envelopes: envelopes.subarray(0, length) }
}
