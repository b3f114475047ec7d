import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { StoreDescription } from '../../src/stores/description.ts'
import { schemaOf } from '../support/batches.ts'
import type { MakeStore } from './store-session.ts'
import { loadRows, withStore } from './store-session.ts'

const schema = schemaOf({ n: 'int32' })
const rows = [{ values: [1] }]

export function describeOutcomes(make: MakeStore, { can }: StoreDescription): void {
  it(
    can.outcomesLast
      ? 'knows the outcome of a load after a later one into the same table'
      : 'knows the outcome of a load until a later one into the same table, and then tells nothing wrong of that',
    withStore(make, async ({ store }) => {
      const first = await loadRows(store, { schema, rows })
      const other = await loadRows(store, { schema, rows, table: 'other' })
      assert.equal(await store.outcome(first.token), 'committed')
      const later = await loadRows(store, { schema, rows, mode: 'APPEND' })
      assert.equal(await store.outcome(first.token), can.outcomesLast ? 'committed' : 'absent')
      assert.equal(await store.outcome(later.token), 'committed')
      assert.equal(await store.outcome(other.token), 'committed')
    }),
  )
}
