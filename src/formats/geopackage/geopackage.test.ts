import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { withoutUndefined } from '../../../tests/support/without-undefined.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { columnValue } from '../../geo/column.ts'
import type { LayerDescription } from '../format.ts'
import { FormatError } from '../format.ts'
import { geopackage } from './geopackage.ts'

const signal = new AbortController().signal
const stations = join(import.meta.dirname, '../../../tests/fixtures/geopackage/stations.gpkg')

interface Read {
  layer: LayerDescription
  rows: unknown[][]
  geometries: (string | null)[]
  rejects: FeatureBatch['rejects']
}

async function readLayer(path: string, name?: string): Promise<Read> {
  const file = { path, sidecars: {} }
  const layers = await geopackage.describe(file, { signal })
  const layer = layers.find((found) => name === undefined || found.name === name)
  assert.ok(layer)
  const read: Read = { layer, rows: [], geometries: [], rejects: [] }
  for await (const batch of geopackage.read(file, layer, { signal })) {
    read.rejects.push(...batch.rejects)
    for (let row = 0; row < batch.rowCount; row += 1) {
      read.rows.push(batch.columns.map((column) => columnValue(column, row)))
      const { geometry } = batch
      const bytes = geometry?.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1])
      read.geometries.push(
        bytes === undefined || bytes.length === 0 ? null : Buffer.from(bytes).toString('hex'),
      )
    }
  }
  return read
}

/** Calls `test` with a GeoPackage created by `sql`. */
async function withFile(sql: string, test: (path: string, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-'))
  try {
    const path = join(folder, 'x.gpkg')
    const db = new DatabaseSync(path)
    db.exec(`PRAGMA application_id = ${0x47504b47}; ${catalogue} ${sql}`)
    db.close()
    await test(path, folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const catalogue = `
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY, organization TEXT,
  organization_coordsys_id INTEGER, definition TEXT, description TEXT);
CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT, identifier TEXT, description TEXT,
  last_change DATETIME, min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER);
CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, geometry_type_name TEXT,
  srs_id INTEGER, z TINYINT, m TINYINT);
`
const feature = (table: string, type: string, srsId = 0): string => `
INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('${table}', 'features', ${srsId});
INSERT INTO gpkg_geometry_columns VALUES ('${table}', 'geom', '${type}', ${srsId}, 0, 0);`
const attributes = (table: string): string =>
  `INSERT INTO gpkg_contents (table_name, data_type) VALUES ('${table}', 'attributes');`

/** POINT(1 2), little-endian ISO WKB. */
const point = '0101000000000000000000f03f0000000000000040'

describe('GeoPackage', () => {
  it('reads what GDAL wrote', async () => {
    const { layer, rows, geometries, rejects } = await readLayer(stations)
    assert.equal(layer.name, 'stazioni_metropolitana')
    assert.equal(layer.featureCount, 146)
    assert.equal(layer.schema.geometry?.crs?.srs, 'EPSG:32632')
    assert.match(layer.schema.geometry?.crs?.wkt ?? '', /^PROJCS/)
    assert.deepEqual(layer.schema.attributes.map(({ name, type }) => `${name} ${type}`).slice(0, 5), [
      'fid int64',
      'OBJECTID int64',
      'ID_FERMATA int64',
      'NOME text',
      'LINEA float64',
    ])
    assert.deepEqual([rows.length, geometries.length, rejects.length], [146, 146, 0])
    const { minX, maxY } = layer.envelope ?? { minX: 0, maxY: 0 }
    assert.deepEqual([Math.round(minX), Math.round(maxY)], [506_794, 5_048_146])
  })

  it('is found by its content', () => {
    const head = readFileSync(stations).subarray(0, 65_536)
    assert.equal(geopackage.detect({ path: 'x.bin', sidecars: {} }, head), true)
    assert.equal(geopackage.detect({ path: 'x.gpkg', sidecars: {} }, Buffer.from('id;name\n')), false)
  })

  it('reads every type of the standard, and those of others by their affinity', async () => {
    const sql = `${attributes('t')}
      CREATE TABLE t (fid INTEGER PRIMARY KEY, a BOOLEAN, b TINYINT, c SMALLINT, d MEDIUMINT, e INT, f INTEGER, g FLOAT,
        h DOUBLE, i REAL, j TEXT, k TEXT(5), l BLOB, m DATE, n DATETIME, o VARCHAR(9), p BIGINT, q NUMERIC(8,2));
      INSERT INTO t VALUES (7, 1, -128, 32767, -2147483648, 9007199254740993, -9223372036854775808, 0.5, 3, 1e300, 'é€🗺',
        'abc', x'00ff', '2024-02-29', '2024-02-29T12:34:56.789Z', 'v', 5, 1.25), (9, ${'NULL, '.repeat(16)} NULL);`
    await withFile(sql, async (path) => {
      const { layer, rows } = await readLayer(path)
      assert.deepEqual(
        layer.schema.attributes.map(({ type }) => type),
        [
          'int64',
          'boolean',
          'int16',
          'int16',
          'int32',
          'int64',
          'int64',
          'float32',
          'float64',
          'float64',
          'text',
          'text',
          'binary',
          'date',
          'timestamp',
          'text',
          'int64',
          'decimal',
        ],
      )
      assert.deepEqual(rows, [
        [
          7n,
          true,
          -128,
          32767,
          -2147483648,
          9007199254740993n,
          -9223372036854775808n,
          0.5,
          3,
          1e300,
          'é€🗺',
          'abc',
          new Uint8Array([0, 255]),
          19_782,
          1_709_210_096_789_000n,
          'v',
          5n,
          '1.25',
        ],
        [9n, ...Array(17).fill(null)],
      ])
    })
  })

  it('reads times in the forms of other programs', async () => {
    const texts = [
      '2024-01-01 00:00:00',
      '2024-01-01T02:00:00.000001+02:00',
      '2024-01-01',
      '2024-01-01T00:00Z',
    ]
    const values = texts.map((text) => `('${text}')`).join(', ')
    await withFile(
      `${attributes('t')} CREATE TABLE t (at DATETIME); INSERT INTO t VALUES ${values}`,
      async (path) => {
        const start = 1_704_067_200_000_000n
        assert.deepEqual((await readLayer(path)).rows.flat(), [start, start + 1n, start, start])
      },
    )
  })

  it('rejects rows whose values are not of the column, names them, and reads on', async () => {
    const wrong = [`'many'`, '1.5', '40000', `x'01'`]
    const sql = `${attributes('t')} CREATE TABLE t (fid INTEGER PRIMARY KEY, n SMALLINT, name TEXT);
      INSERT INTO t (n, name) VALUES (1, 'a'), ${wrong.map((value) => `(${value}, 'w')`).join(', ')}, (2, 'b')`
    await withFile(sql, async (path) => {
      const { rows, rejects } = await readLayer(path)
      assert.deepEqual(rows, [
        [1n, 1, 'a'],
        [6n, 2, 'b'],
      ])
      assert.deepEqual(
        rejects.map(({ row, field }) => [row, field]),
        [2, 3, 4, 5].map((row) => [row, 'n']),
      )
      assert.match(rejects[0]?.reason ?? '', /"many"/)
      assert.equal(rejects[0]?.properties?.['name'], 'w')
    })
  })

  it('reads geometries with every header, and rejects what is none', async () => {
    const header = (flags: string): string => `475000${flags}e6100000`
    const blobs = [
      header('01') + point,
      header('03') + '00'.repeat(32) + point,
      header('05') + '00'.repeat(48) + point,
      header('09') + '00'.repeat(64) + point,
      '47500000000010e600000000013ff00000000000004000000000000000',
      `${header('11')}0101000000000000000000f87f000000000000f87f`,
    ]
    const bad = [
      '',
      '4750',
      header('0b') + point,
      header('21') + point,
      header('01') + point.slice(0, 20),
      'ff'.repeat(40),
    ]
    const rows = [...blobs, ...bad].map((blob) => `(x'${blob}')`).join(', ')
    await withFile(
      `${feature('t', 'POINT')} CREATE TABLE t (fid INTEGER PRIMARY KEY, geom POINT);
       INSERT INTO t (geom) VALUES ${rows}, (NULL), ('text')`,
      async (path) => {
        const { geometries, rejects, layer } = await readLayer(path)
        assert.equal(layer.schema.geometry?.crs, undefined)
        assert.deepEqual(geometries.slice(0, 4), Array(4).fill(point))
        assert.equal(geometries.at(-1), null)
        assert.equal(geometries.length + rejects.length, 14)
        assert.equal(rejects.length, 7)
      },
    )
  })

  it('describes geometries as they are where that is not what was declared', async () => {
    const blob = (number: number, ...rest: string[]): string =>
      `(x'4750000100000000${['01', Buffer.from(Uint32Array.of(number).buffer).toString('hex'), ...rest].join('')}')`
    const [polygon, multi] = [blob(3, '00000000'), blob(6, '00000000')]
    const pointZ = blob(1001, '00'.repeat(24))
    const table = (name: string, type: string, z: number, rows: string[]): string => `
      INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('${name}', 'features', 0);
      INSERT INTO gpkg_geometry_columns VALUES ('${name}', 'geom', '${type}', 0, ${z}, 0);
      CREATE TABLE ${name} (fid INTEGER PRIMARY KEY, geom ${type}); INSERT INTO ${name} (geom) VALUES ${rows.join(', ')};`
    const sql = [
      table('mixed', 'POLYGON', 0, [polygon, multi]),
      table('single', 'MULTIPOLYGON', 0, [polygon, polygon]),
      table('other', 'POINT', 0, [polygon, pointZ]),
      table('any', 'GEOMETRY', 2, [polygon]),
      table('high', 'POINT', 0, [pointZ]),
      table('none', 'LINESTRING', 2, ['(NULL)']),
    ]
    await withFile(sql.join(''), async (path) => {
      const layers = await geopackage.describe({ path, sidecars: {} }, { signal })
      assert.deepEqual(
        layers.map(({ schema }) => [schema.geometry?.type, schema.geometry?.hasZ]),
        [
          ['MultiPolygon', false],
          ['MultiPolygon', false],
          ['Geometry', true],
          ['Geometry', false],
          ['Point', true],
          ['LineString', true],
        ],
      )
    })
  })

  it('takes the CRS from its code, its text, or neither', async () => {
    const sql = `
      INSERT INTO gpkg_spatial_ref_sys VALUES ('a', 25832, 'epsg', 25832, 'PROJCS["x"]', ''),
        ('b', 100000, 'NONE', 100000, 'LOCAL_CS["site"]', ''), ('c', -1, 'NONE', -1, 'undefined', '');
      ${[25832, 100000, -1, 77].map((id) => `${feature(`t${id}`, 'POINT', id)} CREATE TABLE "t${id}" (geom POINT);`).join('')}`
    await withFile(sql, async (path) => {
      const layers = await geopackage.describe({ path, sidecars: {} }, { signal })
      assert.deepEqual(withoutUndefined(layers.map(({ schema }) => schema.geometry?.crs)), [
        { srs: 'EPSG:25832', wkt: 'PROJCS["x"]' },
        { wkt: 'LOCAL_CS["site"]' },
        undefined,
        undefined,
      ])
    })
  })

  it('reads views, tables without rowid and tables with computed columns', async () => {
    const sql = `${attributes('v')} ${attributes('w')} ${attributes('g')} ${attributes('d')}
      CREATE TABLE base (fid INTEGER PRIMARY KEY, n INTEGER); INSERT INTO base VALUES (1, 10), (2, 20);
      CREATE VIEW v AS SELECT fid, n * 2 AS twice, n FROM base;
      CREATE TABLE w (k TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID; INSERT INTO w VALUES ('b', 2), ('a', 1);
      CREATE TABLE g (n INTEGER, double INTEGER AS (n * 2)); INSERT INTO g VALUES (4);
      CREATE TABLE d (n INTEGER); INSERT INTO d VALUES (1); ALTER TABLE d ADD COLUMN k TEXT DEFAULT 'x'`
    await withFile(sql, async (path) => {
      assert.deepEqual((await readLayer(path, 'v')).rows, [
        [1n, '20', 10n],
        [2n, '40', 20n],
      ])
      assert.deepEqual((await readLayer(path, 'w')).rows, [
        ['a', 1n],
        ['b', 2n],
      ])
      assert.deepEqual((await readLayer(path, 'g')).rows, [[4n, 8n]])
      assert.deepEqual((await readLayer(path, 'd')).rows, [[1n, 'x']])
    })
  })

  it('gives columns added later as null, and keeps a key that is not an integer', async () => {
    const sql = `${attributes('t')} CREATE TABLE t (code TEXT PRIMARY KEY); INSERT INTO t VALUES ('a');
      ALTER TABLE t ADD COLUMN n INTEGER; INSERT INTO t VALUES ('b', 2)`
    await withFile(sql, async (path) => {
      assert.deepEqual((await readLayer(path)).rows, [
        ['a', null],
        ['b', 2n],
      ])
    })
  })

  it('reads long rows, deep tables and any page size alike', async () => {
    for (const pageSize of [512, 4096, 65_536]) {
      const sql = `${attributes('t')} CREATE TABLE t (fid INTEGER PRIMARY KEY, n INTEGER, t TEXT);
        WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000)
        INSERT INTO t SELECT i * 3 - 5, i, CASE i % 500 WHEN 0 THEN hex(zeroblob(60000 + i)) ELSE 'row ' || i END FROM c;
        PRAGMA page_size = ${pageSize}; VACUUM`
      await withFile(sql, async (path) => {
        const { rows } = await readLayer(path)
        assert.deepEqual(
          rows.map(([id, n]) => [id, n]),
          Array.from({ length: 3000 }, (_, i) => [BigInt((i + 1) * 3 - 5), BigInt(i + 1)]),
        )
        assert.equal(String(rows[999]?.[2]).length, 122_000)
        assert.equal(rows[998]?.[2], 'row 999')
      })
    }
  })

  it('reads changes that stand beside the file, from a copy, and touches neither', async () => {
    await withFile(
      `${attributes('t')} CREATE TABLE t (n INTEGER); PRAGMA journal_mode = WAL`,
      async (path, folder) => {
        const writer = new DatabaseSync(path)
        writer.exec('PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (1), (2)')
        const left = mkdtempSync(join(folder, 'left-'))
        for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, join(left, `x.gpkg${suffix}`))
        writer.close()
        const wal = readFileSync(join(left, 'x.gpkg-wal'))
        const { rows, layer } = await readLayer(join(left, 'x.gpkg'))
        assert.deepEqual(rows, [[1n], [2n]])
        assert.equal(layer.messages[0]?.code, 'geopackage-pending-changes')
        assert.deepEqual(readFileSync(join(left, 'x.gpkg-wal')), wal)
        assert.deepEqual(readdirSync(left).sort(), ['x.gpkg', 'x.gpkg-wal'])
      },
    )
  })

  it('leaves nothing beside a file that it reads', async () => {
    await withFile(
      `${attributes('t')} CREATE TABLE t (n INTEGER); PRAGMA journal_mode = WAL`,
      async (path, folder) => {
        await readLayer(path)
        assert.deepEqual(readdirSync(folder), ['x.gpkg'])
      },
    )
  })

  it('does not run into views that never end', async () => {
    const endless =
      'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) AS n FROM c'
    await withFile(`${attributes('v')} CREATE VIEW v AS ${endless}`, async (path) => {
      await assert.rejects(readLayer(path), FormatError)
    })
    const folder = mkdtempSync(join(tmpdir(), 'terrane-'))
    const db = new DatabaseSync(join(folder, 'x.gpkg'))
    db.exec(`CREATE VIEW gpkg_contents AS ${endless}; CREATE TABLE gpkg_spatial_ref_sys (a)`)
    db.close()
    await assert.rejects(readLayer(join(folder, 'x.gpkg')), FormatError)
    rmSync(folder, { recursive: true })
  })

  it('says what is wrong with a file that is not a GeoPackage', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'terrane-'))
    const path = join(folder, 'x.gpkg')
    for (const content of [
      '',
      'no database',
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000)]),
    ]) {
      writeFileSync(path, content)
      await assert.rejects(
        readLayer(path),
        (error: Error) => error instanceof FormatError && /x\.gpkg/.test(error.message),
      )
    }
    rmSync(folder, { recursive: true })
  })

  it('stops when it is aborted', async () => {
    const controller = new AbortController()
    const file = { path: stations, sidecars: {} }
    const [layer] = await geopackage.describe(file, { signal })
    controller.abort(new Error('enough'))
    await assert.rejects(async () => {
      for await (const _batch of geopackage.read(file, layer as LayerDescription, {
        signal: controller.signal,
      }));
    }, /enough/)
  })
})
