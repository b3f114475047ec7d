import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { loadRows, readRows } from '../../../tests/contract/store-session.ts'
import type { Row } from '../../../tests/support/batches.ts'
import { schemaOf, wkb } from '../../../tests/support/batches.ts'
import { temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { VectorStore } from '../store.ts'
import { createGeoPackageStore } from './geopackage-store.ts'

const schema = schemaOf({ code: 'int32' }, 'Point')
const rows = (...codes: number[]): Row[] =>
  codes.map((code) => ({ geometry: wkb('Point', [code, code]), values: [code] }))

/**
 * Creates a GeoPackage with the layers `layer` (rows 1 and 2) and `other` (row 9), changed by another
 * program.
 */
async function changed(test: TestContext, sql: string): Promise<{ store: VectorStore; path: string }> {
  const path = join(temporaryFolder(test), 'x.gpkg')
  const store = createGeoPackageStore({ path }, { findDefinition: () => undefined })
  await loadRows(store, { schema, rows: rows(1, 2) })
  await loadRows(store, { schema, table: 'other', rows: rows(9) })
  execute(path, sql)
  return { store, path }
}

function execute(path: string, sql: string): void {
  const db = new DatabaseSync(path)
  db.function('ST_IsEmpty', () => 0)
  for (const name of ['ST_MinX', 'ST_MaxX', 'ST_MinY', 'ST_MaxY']) db.function(name, () => 0)
  db.exec(sql)
  db.close()
}

async function codes(store: VectorStore, table = 'layer'): Promise<unknown[]> {
  return (await readRows(store, { table })).map(({ values }) => Number(values[0]))
}

function triggersOf(path: string): unknown[] {
  const db = new DatabaseSync(path)
  const found = db.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name`).all()
  db.close()
  return found.map((row) => ({ ...row }))
}

const isCode =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Failure && error.code === code

const triggers = {
  'empty the layer': 'CREATE TRIGGER evil AFTER INSERT ON layer BEGIN DELETE FROM layer; END',
  'refuse rows without a word': 'CREATE TRIGGER evil BEFORE INSERT ON layer BEGIN SELECT raise(IGNORE); END',
  'hide behind the names of the index':
    'CREATE TRIGGER rtree_layer_geom_evil AFTER INSERT ON layer BEGIN DELETE FROM layer; END',
  'wait for the time of change':
    'CREATE TRIGGER evil AFTER UPDATE ON gpkg_contents BEGIN DELETE FROM layer; DELETE FROM other; END',
  'wait for a new layer':
    'CREATE TRIGGER evil AFTER INSERT ON gpkg_geometry_columns BEGIN DELETE FROM other; END',
  'wait for the deletion': 'CREATE TRIGGER evil BEFORE DELETE ON layer BEGIN DELETE FROM other; END',
}

describe('triggers of somebody else', () => {
  for (const [what, sql] of Object.entries(triggers)) {
    it(`that ${what} do not run in loads, and are still there`, async (test) => {
      const { store, path } = await changed(test, sql)
      const before = triggersOf(path)
      const { messages } = await loadRows(store, { mode: 'APPEND', schema, rows: rows(3, 4) })
      assert.deepEqual(await codes(store), [1, 2, 3, 4])
      const isReportedOf = / ON layer /.test(sql) && !sql.includes('rtree_')
      assert.equal(
        messages.some(({ code }) => code === 'triggers-not-run'),
        isReportedOf,
      )
      await loadRows(store, { mode: 'REPLACE', schema, rows: rows(5) })
      assert.deepEqual(await codes(store), [5])
      await loadRows(store, { table: 'third', schema, rows: rows(7) })
      assert.deepEqual(
        triggersOf(path).filter((row) => !JSON.stringify(row).includes('third')),
        before,
      )
      await store.dropTable('third')
      assert.deepEqual(await codes(store, 'other'), [9])
      assert.deepEqual(triggersOf(path), before)
    })
  }
})

describe('a table of somebody else', () => {
  it('that drops rows by its own rules takes no load', async (test) => {
    const { store } = await changed(
      test,
      `CREATE UNIQUE INDEX one ON layer(code);
      CREATE TABLE strict_ones (fid INTEGER PRIMARY KEY, geom POINT, code INTEGER UNIQUE ON CONFLICT IGNORE);
      INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES ('strict_ones', 'features', 's', 0);
      INSERT INTO gpkg_geometry_columns VALUES ('strict_ones', 'geom', 'POINT', 0, 0, 0)`,
    )
    const load = (...values: number[]): Promise<unknown> =>
      loadRows(store, { table: 'strict_ones', mode: 'APPEND', schema, rows: rows(...values) })
    await load(1, 2)
    await assert.rejects(load(2, 3), isCode('rows-lost'))
    assert.deepEqual(await codes(store, 'strict_ones'), [1, 2])
  })

  it('keeps its computed columns, indexes and triggers when it is replaced', async (test) => {
    const { store, path } = await changed(
      test,
      `ALTER TABLE layer ADD COLUMN twice INTEGER AS (code * 2);
      CREATE INDEX by_code ON layer(code);
      CREATE TRIGGER note AFTER INSERT ON layer BEGIN SELECT 1; END`,
    )
    await loadRows(store, {
      mode: 'REPLACE',
      schema: schemaOf({ code: 'int32', twice: 'int32' }, 'Point'),
      rows: [{ geometry: wkb('Point', [1, 1]), values: [21, 5] }],
    })
    const db = new DatabaseSync(path)
    assert.deepEqual({ ...db.prepare('SELECT code, twice FROM layer').get() }, { code: 21, twice: 42 })
    const kept = db.prepare(`SELECT count(*) AS n FROM sqlite_schema WHERE name IN ('by_code', 'note')`).get()
    assert.equal(kept?.['n'], 2)
    db.close()
  })

  it('whose rows others refer to by cascade is not replaced, and dropping it leaves theirs', async (test) => {
    const { store, path } = await changed(
      test,
      `CREATE TABLE notes (id INTEGER PRIMARY KEY, layer_id INTEGER REFERENCES layer(fid) ON DELETE CASCADE);
      INSERT INTO notes VALUES (1, 1)`,
    )
    await assert.rejects(
      loadRows(store, { mode: 'REPLACE', schema, rows: rows(3) }),
      isCode('table-referenced'),
    )
    await store.dropTable('layer')
    const db = new DatabaseSync(path)
    assert.equal(db.prepare('SELECT count(*) AS n FROM notes').get()?.['n'], 1)
    db.close()
  })

  it('that is a view, also one that takes rows, is not loaded into', async (test) => {
    const { store } = await changed(
      test,
      `CREATE VIEW seen AS SELECT fid AS OGC_FID, geom, code FROM layer;
      CREATE TRIGGER taken INSTEAD OF INSERT ON seen BEGIN DELETE FROM other; END;
      CREATE TRIGGER emptied INSTEAD OF DELETE ON seen BEGIN DELETE FROM other; END;
      INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES ('seen', 'features', 'v', 0);
      INSERT INTO gpkg_geometry_columns VALUES ('seen', 'geom', 'POINT', 0, 0, 0)`,
    )
    for (const mode of ['APPEND', 'REPLACE'] as const)
      await assert.rejects(
        loadRows(store, { table: 'seen', mode, schema, rows: rows(3) }),
        isCode('table-read-only'),
      )
    assert.deepEqual(await codes(store, 'other'), [9])
  })
})
