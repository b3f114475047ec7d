import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Row } from '../support/batches.ts'
import { schemaOf, wkb } from '../support/batches.ts'
import type { MakeStore } from './store-session.ts'
import { loadRows, readColumn, readRows, withStore } from './store-session.ts'

const rows: Row[] = [{ geometry: wkb('Point', [1, 2]), values: [1] }]

function namedSchema(name: string, attribute = 'n') {
  const schema = schemaOf({ [attribute]: 'int32' }, 'Point')
  return { ...schema, geometry: schema.geometry && { ...schema.geometry, name } }
}

/** Names that every store accepts unchanged. */
const takenAsTheyAre = [
  'geom',
  'location',
  'Ort',
  'select',
  'größe',
  '";drop-table-layer;--',
  'order',
  '東京',
]
/** Names that stores change, each with a message: reserved, with blanks, too long, empty. */
const changed = ['fid', 'FID', 'two words', 'x'.repeat(300), 'ж'.repeat(150), '', '\u0000', '\ud800']

export function describeGeometryNames(make: MakeStore): void {
  describe('the name of the geometry column', () => {
    for (const name of takenAsTheyAre) {
      it(
        `is "${name}" where that is asked for`,
        withStore(make, async ({ store }) => {
          const { result } = await loadRows(store, { schema: namedSchema(name), rows })
          assert.deepEqual(result.renamed, {})
          assert.equal((await store.findTable('layer'))?.schema.geometry?.name, name)
          assert.deepEqual((await readRows(store))[0]?.geometry, rows[0]?.geometry)
        }),
      )
    }

    for (const name of changed) {
      it(
        `is one that the store takes where ${JSON.stringify(name.slice(0, 10))} is asked for`,
        withStore(make, async ({ store }) => {
          const { result } = await loadRows(store, { schema: namedSchema(name), rows })
          const stored = (await store.findTable('layer'))?.schema.geometry?.name
          assert.ok(stored !== undefined && stored !== '')
          if (stored !== name) assert.deepEqual(result.renamed, { [name]: stored })
          assert.deepEqual((await readRows(store))[0]?.geometry, rows[0]?.geometry)
        }),
      )
    }

    it(
      'comes before those of attributes',
      withStore(make, async ({ store }) => {
        const { result } = await loadRows(store, { schema: namedSchema('Place', 'place'), rows })
        const table = await store.findTable('layer')
        assert.equal(table?.schema.geometry?.name, 'Place')
        assert.deepEqual(result.renamed, { place: table?.schema.attributes[0]?.name })
        assert.deepEqual(await readColumn(store, result.renamed['place'] ?? ''), [1])
      }),
    )

    for (const mode of ['APPEND', 'REPLACE'] as const) {
      it(
        `is that of the table on ${mode}, whatever the data call theirs`,
        withStore(make, async ({ store }) => {
          await loadRows(store, { schema: namedSchema('place'), rows })
          const { result } = await loadRows(store, { schema: namedSchema('location'), rows, mode })
          assert.deepEqual(result.renamed, {})
          assert.equal((await store.findTable('layer'))?.schema.geometry?.name, 'place')
          const read = await readRows(store)
          assert.equal(read.length, mode === 'APPEND' ? 2 : 1)
          assert.ok(read.every(({ geometry }) => geometry !== null && geometry !== undefined))
        }),
      )
    }
  })
}
