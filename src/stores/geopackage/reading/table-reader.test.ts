import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { loadRows } from '../../../../tests/contract/store-session.ts'
import type { Row } from '../../../../tests/support/batches.ts'
import { schemaOf, wkb } from '../../../../tests/support/batches.ts'
import { temporaryFolder } from '../../../../tests/support/temporary-files.ts'
import { findTable } from '../../../formats/geopackage/tables.ts'
import type { FeatureQuery } from '../../store.ts'
import { createGeoPackageStore } from '../geopackage-store.ts'
import { conditionOf, defineFunctions } from './conditions.ts'
import { GeoPackageTableReader } from './table-reader.ts'

const position = fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 400 }))
const geometry = fc.oneof(
  position.map((at) => wkb('Point', at)),
  fc.tuple(position, fc.integer({ min: 1, max: 60 })).map(([[x, y], size]) =>
    wkb('LineString', [
      [x, y],
      [x + size, y - size / 2],
    ]),
  ),
  fc.tuple(position, fc.integer({ min: 1, max: 60 })).map(([[x, y], size]) =>
    wkb('Polygon', [
      [
        [x, y],
        [x + size, y],
        [x, y + size],
        [x, y],
      ],
    ]),
  ),
  fc.constant(null),
)
const row = fc
  .record({ geometry, day: fc.integer({ min: 0, max: 30 }) })
  .map((one): Row => ({ geometry: one.geometry, values: [one.day] }))

const box = fc
  .tuple(position, position)
  .map(([[ax, ay], [bx, by]]) => ({
    minX: Math.min(ax, bx),
    minY: Math.min(ay, by),
    maxX: Math.max(ax, bx),
    maxY: Math.max(ay, by),
  }))
const everything = { minX: -1, minY: -100, maxX: 1000, maxY: 1000 }
const day = fc.integer({ min: 1, max: 31 }).map((date) => `1970-01-${String(date).padStart(2, '0')}`)
const query: fc.Arbitrary<FeatureQuery> = fc.record(
  {
    table: fc.constant('layer'),
    offset: fc.nat(1500),
    limit: fc.nat(200),
    bboxes: fc.array(fc.oneof({ weight: 9, arbitrary: box }, fc.constant(everything)), { maxLength: 2 }),
    time: fc.record({ attribute: fc.constant('day'), from: day, to: day }, { requiredKeys: ['attribute'] }),
  },
  { requiredKeys: ['table', 'offset', 'limit'] },
)

/** Creates a layer of random features and runs statements on it. */
function makeLayer(t: TestContext, ...statements: string[]): Promise<DatabaseSync> {
  return makeLayerOf(t, 1, statements)
}

/** The same with a multiple of the features. */
async function makeLayerOf(
  t: TestContext,
  times: number,
  statements: readonly string[],
): Promise<DatabaseSync> {
  const path = join(temporaryFolder(t), 'x.gpkg')
  const store = createGeoPackageStore({ path }, { findDefinition: () => undefined })
  const rows = fc.sample(row, { numRuns: 1500, seed: 4 })
  const all = Array.from({ length: times }, () => rows).flat()
  await loadRows(store, { schema: schemaOf({ day: 'date' }, 'Geometry'), rows: all })
  const db = new DatabaseSync(path, { defensive: false })
  t.after(() => db.close())
  for (const statement of statements) db.exec(statement)
  defineFunctions(db)
  return db
}

/** Compares counts and pages with the result of testing every row. */
function compare(db: DatabaseSync, numRuns = 120): void {
  const table = findTable(db, 'layer')
  assert.ok(table)
  const reader = new GeoPackageTableReader(db, table)
  const ask = (expected: FeatureQuery): void => {
    const { sql, bound } = conditionOf(table, expected)
    const all = db.prepare(`SELECT fid FROM layer WHERE ${sql} ORDER BY fid`).all(...bound)
    const ids = all.map(({ fid }) => String(fid))
    assert.equal(reader.count(expected), ids.length)
    const page = [...reader.pages(expected)].flatMap((one) => one.ids)
    assert.deepEqual(page, ids.slice(expected.offset, expected.offset + expected.limit))
  }
  fc.assert(fc.property(query, ask), { numRuns, seed: 9 })
}

describe('reading a table', () => {
  it('finds by its index what a look at every row finds', async (t) => {
    compare(await makeLayer(t))
  })

  it('finds it where ids are missing', async (t) => {
    compare(await makeLayer(t, 'DELETE FROM layer WHERE fid % 7 = 3', 'DELETE FROM layer WHERE fid < 100'))
  })

  it('finds it where ids lie far apart', async (t) => {
    const move = 'UPDATE layer SET fid = fid * 4000000000000 WHERE fid > 1000'
    compare(await makeLayer(t, 'DROP TABLE rtree_layer_geom', dropTriggers, move))
  })

  it('finds it without an index, and with one that lacks rows or has too many', async (t) => {
    compare(await makeLayer(t, dropTriggers, 'DROP TABLE rtree_layer_geom'))
    compare(await makeLayer(t, 'DELETE FROM rtree_layer_geom WHERE id % 5 = 0'))
    compare(await makeLayer(t, dropTriggers, 'DELETE FROM layer WHERE fid % 2 = 0'))
  })

  it('finds it of many rows, of which few or most are near, with and without an index of the values', async (t) => {
    compare(await makeLayerOf(t, 40, []), 20)
    compare(await makeLayerOf(t, 40, ['CREATE INDEX days ON layer (day)']), 15)
  })

  it('says that an index is damaged in place of walking in circles', async (t) => {
    const db = await makeLayer(t)
    const node = db.prepare('SELECT data FROM rtree_layer_geom_node WHERE nodeno = 1').get()?.['data']
    assert.ok(node instanceof Uint8Array)
    const view = new DataView(node.buffer, node.byteOffset, node.byteLength)
    view.setUint16(0, 30)
    for (let at = 4; at < 4 + view.getUint16(2) * 24; at += 24) view.setBigInt64(at, 1n)
    db.prepare('UPDATE rtree_layer_geom_node SET data = ? WHERE nodeno = 1').run(node)
    const table = findTable(db, 'layer')
    assert.ok(table)
    const bboxes = [{ minX: 1, minY: 1, maxX: 2, maxY: 2 }]
    assert.throws(() => new GeoPackageTableReader(db, table).count({ table: 'layer', bboxes }), {
      code: 'store-corrupt',
    })
  })
})

const dropTriggers = ['insert', 'update1', 'update2', 'update3', 'update4', 'delete']
  .map((name) => `DROP TRIGGER rtree_layer_geom_${name};`)
  .join('')
