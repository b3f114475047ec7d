import assert from 'node:assert/strict'
import { it } from 'node:test'
import { schemaOf, wkb } from '../support/batches.ts'
import type { MakeStore } from './store-session.ts'
import { loadRows, never, readRows, withStore } from './store-session.ts'

const schema = schemaOf({ n: 'int32' }, 'Point')
const rows = [{ geometry: wkb('Point', [1, 2]), values: [1] }]

/** A store that accepts no loads reports this and stays unchanged. */
export function describeRefusals(make: MakeStore): void {
  it(
    'takes no loads and drops no table',
    withStore(make, async ({ store, fill }) => {
      await fill(schema, rows)
      const refusal = { kind: 'invalid', code: 'read-only-store' }
      for (const mode of ['CREATE', 'REPLACE', 'APPEND'] as const) {
        await assert.rejects(loadRows(store, { schema, rows, mode }), refusal)
      }
      await assert.rejects(async () => store.dropTable('layer'), refusal)
      assert.equal(await store.outcome('anything'), 'absent')
      await store.sweep('never-begun')
      assert.equal((await readRows(store)).length, 1)
    }),
  )

  it(
    'describes its one table',
    withStore(make, async ({ store, fill }) => {
      await fill(schema, rows)
      const table = (await store.listTables())[0] ?? ''
      const found = await store.findTable(table)
      assert.equal(found?.featureCount, 1)
      const envelope = { minX: 1, minY: 2, maxX: 1, maxY: 2 }
      if (found?.envelope !== undefined) assert.deepEqual(found.envelope, envelope)
      assert.equal(found?.schema.geometry?.type, 'Point')
      const state = await store.state(table, never)
      assert.equal((await store.state(table, never))?.text, state?.text)
    }),
  )
}
