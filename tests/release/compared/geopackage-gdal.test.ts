import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { createGeoPackageStore } from '../../../src/stores/geopackage/geopackage-store.ts'
import type { VectorStore } from '../../../src/stores/store.ts'
import { loadRows, readColumn } from '../../contract/store-session.ts'
import { schemaOf, wkb } from '../../support/batches.ts'

const hasGdal = spawnSync('ogr2ogr', ['--version']).status === 0
const validator = ['-m', 'osgeo_utils.samples.validate_gpkg']
/** The distribution's Python, which has GDAL's modules, before any other. */
const python = ['/usr/bin/python3', 'python3'].find(
  (program) => spawnSync(program, ['-c', 'import osgeo_utils.samples.validate_gpkg']).status === 0,
)

async function withStore(test: (path: string, store: VectorStore) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-'))
  const path = join(folder, 'x.gpkg')
  try {
    await test(path, createGeoPackageStore({ path }, { findDefinition: () => undefined }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const schema = schemaOf(
  {
    name: { name: 'name', type: 'text', maxLength: 20 },
    flag: 'boolean',
    small: 'int16',
    big: 'int64',
    share: 'float64',
    exact: 'decimal',
    day: 'date',
    at: 'timestamp',
    raw: 'binary',
  },
  'Point',
)
const rows = Array.from({ length: 300 }, (_, i) => ({
  geometry: i % 50 === 49 ? null : wkb('Point', [i / 10, i / 20]),
  values: [
    `Größe ${i}`,
    i % 2 === 0,
    i,
    9007199254740993n + BigInt(i),
    i / 3,
    `${i}.10`,
    19_000 + i,
    BigInt(i) * 86_399_999_000n,
    new Uint8Array([i & 255, 0]),
  ],
}))
const ring = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 0],
]

describe('GeoPackages for other programs', () => {
  it('pass the validator of GDAL', { skip: python === undefined }, () =>
    withStore(async (path, store) => {
      await loadRows(store, { schema, rows, indexes: ['name'] })
      // No empty geometry: the validator of GDAL 3.6 looks for its flag in bit 3, the standard has it in bit 4.
      const polygons = [wkb('MultiPolygon', [[ring]]), null]
      const areas = polygons.map((geometry) => ({ geometry, values: [] }))
      await loadRows(store, { table: 'areas', schema: schemaOf({}, 'MultiPolygon'), rows: areas })
      await loadRows(store, { table: 'Straße 1', schema: schemaOf({ v: 'text' }), rows: [{ values: ['a'] }] })
      await loadRows(store, { mode: 'REPLACE', schema, rows: rows.slice(0, 10) })
      await loadRows(store, { mode: 'APPEND', schema, rows: rows.slice(0, 10) })
      const output = run(python ?? '', ...validator, '--warning-as-error', '-k', path)
      assert.equal(output.trim(), '')
    }),
  )

  it('are read by GDAL value by value', { skip: !hasGdal }, () =>
    withStore(async (path, store) => {
      await loadRows(store, { schema, rows })
      const text = run('ogrinfo', '-ro', '-al', '-fid', '3', path, 'layer')
      assert.match(text, /Feature Count: 300/)
      for (const line of [
        'name (String) = Größe 2',
        'flag (Integer(Boolean)) = 1',
        'small (Integer(Int16)) = 2',
        'big (Integer64) = 9007199254740995',
        'exact (String) = 2.10',
        'day (Date) = 2022/01/10',
        'at (DateTime) = 1970/01/02 23:59:59.998+00',
        'raw (Binary) = 0200',
        'POINT (0.2 0.1)',
      ])
        assert.ok(text.includes(line), `${line} in ${text}`)
      const near = run('ogrinfo', '-ro', '-so', '-spat', '0', '0', '1', '1', path, 'layer')
      assert.match(near, /Feature Count: 11\n/)
    }),
  )

  it('are appended to by GDAL, and by us again after it', { skip: !hasGdal }, () =>
    withStore(async (path, store) => {
      await loadRows(store, { schema, rows })
      copyFileSync(path, `${path}.copy.gpkg`)
      run('ogr2ogr', '-f', 'GPKG', '-append', '-update', path, `${path}.copy.gpkg`, 'layer')
      await loadRows(store, { mode: 'APPEND', schema, rows: rows.slice(0, 5) })
      const db = new DatabaseSync(path)
      const first = (sql: string): unknown => Object.values(db.prepare(sql).get() ?? {})[0]
      assert.equal(first('PRAGMA integrity_check'), 'ok')
      assert.equal(first(`SELECT rtreecheck('rtree_layer_geom')`), 'ok')
      assert.equal(first('SELECT count(*) FROM rtree_layer_geom'), 294 * 2 + 5)
      db.close()
      assert.equal((await readColumn(store, 'name')).length, 605)
      assert.match(run('ogrinfo', '-ro', '-so', path, 'layer'), /Feature Count: 605/)
    }),
  )
})
