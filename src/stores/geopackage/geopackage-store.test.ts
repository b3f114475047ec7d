import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadRows, never, readColumn, readRows } from '../../../tests/contract/store-session.ts'
import type { Row } from '../../../tests/support/batches.ts'
import { schemaOf, wkb } from '../../../tests/support/batches.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { VectorStore } from '../store.ts'
import { createGeoPackageStore } from './geopackage-store.ts'

const stations = join(import.meta.dirname, '../../../tests/fixtures/geopackage/stations.gpkg')
const stationTable = 'stazioni_metropolitana'
/** Longer than the resolution of file times. */
const settledMs = 60

interface Location {
  folder: string
  path: string
  store: VectorStore
  /** Returns the first column of the first row of a query. */
  query(sql: string): unknown
}

async function withPlace(test: (place: Location) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-'))
  const path = join(folder, 'x.gpkg')
  const findDefinition = (srs: string) => ({
    organization: 'EPSG',
    code: Number(srs.slice(5)),
    name: srs,
    wkt: `PROJCS["${srs}"]`,
  })
  const query = (sql: string): unknown => {
    const db = new DatabaseSync(path)
    const row = Object.values(db.prepare(sql).get() ?? {})
    db.close()
    return row[0]
  }
  try {
    await test({ folder, path, store: createGeoPackageStore({ path }, { findDefinition }), query })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const point = (x: number, y: number): Uint8Array => wkb('Point', [x, y])
const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({ geometry: point(i, i), values: [`n${i}`] }))
const schema = schemaOf({ name: 'text' }, 'Point')

function assertSound({ query }: Location, table = 'layer', geometry = 'geom'): void {
  assert.equal(query('PRAGMA integrity_check'), 'ok')
  assert.equal(query('PRAGMA foreign_key_check'), undefined)
  assert.equal(query(`SELECT rtreecheck('rtree_${table}_${geometry}')`), 'ok')
}

describe('GeoPackage store', () => {
  it('tells its state at once in the same words, and never that of before a change', () =>
    withPlace(async ({ store, path }) => {
      await loadRows(store, { schema, rows: rows(3) })
      const state = await store.state('layer', never)
      await sleep(settledMs)
      assert.equal(store.stateNow?.(), state?.text)
      const db = new DatabaseSync(path)
      db.exec(`UPDATE gpkg_contents SET description = 'other'`)
      db.close()
      assert.notEqual(store.stateNow?.(), state?.text)
      await sleep(settledMs)
      assert.notEqual(store.stateNow?.(), state?.text)
      assert.equal(store.stateNow?.(), (await store.state('layer', never))?.text)
    }))

  it('estimates numbers of rows: of the table, in a box, and where there is no table or file', () =>
    withPlace(async ({ store }) => {
      const estimate = (table: string, boxes?: Envelope[]) => store.estimateRows?.(table, boxes, never)
      assert.equal(await estimate('layer'), 0)
      await loadRows(store, { schema, rows: rows(60_000) })
      assert.equal(await estimate('layer'), 60_000)
      assert.equal(await estimate('other'), 0)
      assert.equal(await estimate('layer', [{ minX: 1e6, minY: 0, maxX: 1e6 + 1, maxY: 1 }]), 0)
      const all = { minX: -1e9, minY: -1e9, maxX: 1e9, maxY: 1e9 }
      assert.equal(await estimate('layer', [all]), 50_000)
    }))

  it('writes files of GeoPackage 1.3 that are sound, and leaves nothing beside them', () =>
    withPlace(async (place) => {
      const { store, query, folder } = place
      await loadRows(store, { schema, rows: rows(5000) })
      assertSound(place)
      assert.deepEqual(readdirSync(folder), ['x.gpkg'])
      assert.deepEqual([query('PRAGMA application_id'), query('PRAGMA user_version')], [0x47504b47, 10_300])
      assert.equal(query('SELECT count(*) FROM rtree_layer_geom'), 5000)
      assert.equal(query(`SELECT seq FROM sqlite_sequence WHERE name = 'layer'`), 5000)
      assert.equal(
        query(`SELECT extension_name FROM gpkg_extensions WHERE table_name = 'layer'`),
        'gpkg_rtree_index',
      )
      assert.equal(
        query(`SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'layer'`),
        6,
      )
      assert.match(
        String(query('SELECT last_change FROM gpkg_contents')),
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
      )
      assert.equal(
        query('SELECT hex(geom) FROM layer WHERE fid = 2'),
        '47500001E61000000101000000000000000000F03F000000000000F03F',
      )
    }))

  it('gives envelopes to all but points, and marks what is empty', () =>
    withPlace(async ({ store, query }) => {
      const line = wkb('LineString', [
        [1, 2],
        [3, 4],
      ])
      const geometries = [line, wkb('LineString', []), wkb('Point', [])]
      await loadRows(store, {
        schema: schemaOf({}, 'Geometry'),
        rows: geometries.map((geometry) => ({ geometry, values: [] })),
      })
      const header = (fid: number): unknown =>
        query(`SELECT substr(hex(geom), 7, 2) FROM layer WHERE fid = ${fid}`)
      assert.deepEqual([header(1), header(2), header(3)], ['03', '11', '11'])
      assert.equal(query('SELECT count(*) FROM rtree_layer_geom'), 1)
    }))

  it('enters a CRS by its code, and one without code under an id of its own, once', () =>
    withPlace(async ({ store, query }) => {
      const field = (crs: { srs?: string; wkt?: string } | undefined) =>
        ({ name: 'geom', type: 'Point', hasZ: false, hasM: false, crs }) as const
      const declared = [
        { srs: 'EPSG:25832' },
        { wkt: 'LOCAL_CS["site"]' },
        { wkt: 'LOCAL_CS["site"]' },
        undefined,
      ]
      for (const [index, crs] of declared.entries())
        await loadRows(store, { table: `t${index}`, schema: schemaOf({}, field(crs)) })
      const idOf = (table: string): unknown =>
        query(`SELECT srs_id FROM gpkg_geometry_columns WHERE table_name = '${table}'`)
      assert.deepEqual(['t0', 't1', 't2', 't3'].map(idOf), [25_832, 100_000, 100_000, -1])
      assert.equal(
        query('SELECT definition FROM gpkg_spatial_ref_sys WHERE srs_id = 25832'),
        'PROJCS["EPSG:25832"]',
      )
      assert.equal((await store.findTable('t1'))?.schema.geometry?.crs?.wkt, 'LOCAL_CS["site"]')
      assert.equal((await store.findTable('t1'))?.schema.geometry?.crs?.srs, undefined)
    }))

  it('stores types as the standard has them', () =>
    withPlace(async ({ store, query }) => {
      const attributes = {
        a: 'boolean',
        b: 'int16',
        c: 'int32',
        d: 'int64',
        e: 'float32',
        f: 'float64',
        g: 'decimal',
      } as const
      const more = {
        h: { name: 'h', type: 'text', maxLength: 9 },
        i: 'date',
        j: 'time',
        k: 'timestamp',
        l: 'binary',
      } as const
      await loadRows(store, { schema: schemaOf({ ...attributes, ...more }) })
      assert.match(
        String(query(`SELECT sql FROM sqlite_schema WHERE name = 'layer'`)),
        /"a" BOOLEAN, "b" SMALLINT, "c" MEDIUMINT, "d" INTEGER, "e" FLOAT, "f" DOUBLE, "g" TEXT, "h" TEXT\(9\), "i" DATE, "j" TEXT, "k" DATETIME, "l" BLOB/,
      )
    }))

  it('stores decimals as numbers where these represent every value, otherwise as text with a message', () =>
    withPlace(async ({ store, query }) => {
      const decimal = (precision: number, scale: number) =>
        ({ name: '', type: 'decimal', precision, scale }) as const
      const { messages } = await loadRows(store, {
        schema: schemaOf({
          a: decimal(4, 0),
          b: decimal(10, 0),
          c: decimal(18, 0),
          d: decimal(13, 11),
          e: decimal(19, 0),
          f: decimal(16, 2),
          g: decimal(3, -2),
        }),
        rows: [
          {
            geometry: null,
            values: ['-9999', '9999999999', '999999999999999999', '12.34567890123', '1', '0.50', '12300'],
          },
        ],
      })
      assert.match(
        String(query(`SELECT sql FROM sqlite_schema WHERE name = 'layer'`)),
        /"a" SMALLINT, "b" INTEGER, "c" INTEGER, "d" DOUBLE, "e" TEXT, "f" TEXT, "g" TEXT/,
      )
      assert.equal(
        query(`SELECT json_array(a, b, CAST(c AS TEXT), d, e, f, g) FROM layer`),
        '[-9999,9999999999,"999999999999999999",12.34567890123,"1","0.50","12300"]',
      )
      const reported = messages.find(({ code }) => code === 'decimals-as-text')
      assert.match(reported?.message ?? '', /"e", "f", "g"/)
    }))

  for (const mode of ['REPLACE', 'APPEND'] as const) {
    it(`keeps index, row count and triggers of a file of GDAL's right on ${mode}`, () =>
      withPlace(async (place) => {
        const { store, query, path } = place
        copyFileSync(stations, path)
        const triggers = `SELECT group_concat(name || sql) FROM (SELECT * FROM sqlite_schema WHERE type = 'trigger' ORDER BY name)`
        const before = query(triggers)
        const target = schemaOf({ nome: 'text', objectid: 'int32' }, 'Point')
        const added = [
          { geometry: point(1, 2), values: ['a', 5] },
          { geometry: null, values: ['b', 6] },
        ]
        await loadRows(store, { mode, table: stationTable, schema: target, rows: added })
        assertSound(place, stationTable)
        const count = mode === 'APPEND' ? 148 : 2
        assert.equal(query('SELECT feature_count FROM gpkg_ogr_contents'), count)
        assert.equal(query(`SELECT count(*) FROM ${stationTable}`), count)
        assert.equal(query(`SELECT count(*) FROM rtree_${stationTable}_geom`), count - 1)
        assert.equal(query(triggers), before)
        assert.equal(
          query(`SELECT hex(substr(geom, 5, 4)) FROM ${stationTable} WHERE nome = 'a'`),
          '787F0000',
        )
      }))
  }

  it('rejects the rows that a constraint of the table refuses, and loads the others', () =>
    withPlace(async (place) => {
      const { store, path, query } = place
      await loadRows(store, {
        schema: schemaOf({ code: 'text', n: 'int32' }, 'Point'),
        rows: [{ values: ['a', 1] }],
      })
      const db = new DatabaseSync(path)
      db.exec('CREATE UNIQUE INDEX one_code ON layer (code)')
      db.close()
      const given = ['b', 'a', 'c', 'b'].map((code, index) => ({
        geometry: point(index, 0),
        values: [code, index],
      }))
      const { result, rejects } = await loadRows(store, {
        mode: 'APPEND',
        schema: schemaOf({ code: 'text', n: 'int32' }, 'Point'),
        rows: given,
      })
      assert.deepEqual([result.rowsLoaded, rejects.length], [2, 2])
      assert.deepEqual(
        rejects.map(({ row }) => row),
        [2, 4],
      )
      assert.match(rejects[0]?.reason ?? '', /UNIQUE constraint failed: layer.code/)
      assert.deepEqual(await readColumn(store, 'code'), ['a', 'b', 'c'])
      assert.equal(query('SELECT count(*) FROM rtree_layer_geom'), 2)
      assertSound(place)
    }))

  it('rejects nulls where the table takes none', () =>
    withPlace(async ({ store, path }) => {
      await loadRows(store, { schema })
      const db = new DatabaseSync(path)
      db.exec(`CREATE TABLE strict_one (fid INTEGER PRIMARY KEY, name TEXT NOT NULL);
        INSERT INTO gpkg_contents (table_name, data_type) VALUES ('strict_one', 'attributes')`)
      db.close()
      const { rejects } = await loadRows(store, {
        mode: 'APPEND',
        table: 'strict_one',
        schema: schemaOf({ name: 'text' }),
        rows: [{ values: [null] }, { values: ['a'] }],
      })
      assert.deepEqual(rejects, [{ row: 1, field: 'name', reason: 'The column does not take null' }])
    }))

  it('makes the indexes asked for once', () =>
    withPlace(async ({ store, query }) => {
      await loadRows(store, { schema, rows: rows(3), indexes: ['name'] })
      await loadRows(store, { schema, rows: rows(3), indexes: ['name'], mode: 'REPLACE' })
      assert.equal(
        query(`SELECT group_concat(name) FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'layer'`),
        'idx_layer_name',
      )
    }))

  it('refuses to write where it may only read, and reads there without a trace', () =>
    withPlace(async ({ path, folder }) => {
      copyFileSync(stations, path)
      const store = createGeoPackageStore({ path, isReadOnly: true }, { findDefinition: () => undefined })
      await store.check(never)
      const bboxes = [{ minX: 5.1e5, minY: 5.0e6, maxX: 5.2e5, maxY: 5.1e6 }]
      const found = await readRows(store, { table: stationTable, bboxes })
      assert.equal(found.length, await store.count({ table: stationTable, bboxes }, never))
      assert.ok(found.length > 0 && found.length < 146)
      await assert.rejects(loadRows(store, { schema }), { code: 'read-only-store' })
      await assert.rejects(store.dropTable(stationTable), { code: 'read-only-store' })
      assert.deepEqual(readdirSync(folder), ['x.gpkg'])
      assert.deepEqual(readFileSync(path), readFileSync(stations))
    }))

  it('says what keeps a file from being a store', () =>
    withPlace(async ({ path, folder, store }) => {
      const at = (place: string): VectorStore =>
        createGeoPackageStore({ path: place }, { findDefinition: () => undefined })
      await assert.rejects(at(join(folder, 'no/x.gpkg')).check(never), {
        kind: 'invalid',
        message: /no" is not there/,
      })
      writeFileSync(path, 'id;name\n'.repeat(200))
      await assert.rejects(store.check(never), { kind: 'invalid', message: /not a SQLite database/ })
      rmSync(path)
      new DatabaseSync(path).exec('CREATE TABLE t (a)')
      await assert.rejects(store.check(never), { kind: 'invalid', message: /no GeoPackage/ })
      assert.equal(existsSync(join(folder, 'no')), false)
    }))

  it('lets readers go on with the old state while a load is put in place', () =>
    withPlace(async ({ store, path }) => {
      await loadRows(store, { schema, rows: rows(10) })
      const reader = new DatabaseSync(path, { readOnly: true })
      reader.exec('BEGIN')
      const count = (): unknown => reader.prepare('SELECT count(*) AS n FROM layer').get()?.['n']
      assert.equal(count(), 10)
      await loadRows(store, { mode: 'REPLACE', schema, rows: rows(20) })
      assert.equal(count(), 10)
      reader.exec('COMMIT')
      assert.equal(count(), 20)
      reader.close()
    }))
})
