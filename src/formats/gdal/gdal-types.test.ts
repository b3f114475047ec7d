import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { GdalTable } from '../../../tests/support/gdal-files.ts'
import { needsGdal, readTables, testFolder } from '../../../tests/support/gdal-files.ts'
import { writeXlsx } from '../../../tests/support/spreadsheet-writer.ts'
import { runProgram } from '../../core/process/process.ts'

const root = 'gml:FeatureCollection xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:e="http://example.org/"'

async function readGml(test: TestContext, features: string[]): Promise<GdalTable[]> {
  const path = join(await testFolder(test), 'a.gml')
  const members = features.map(
    (feature, index) => `<gml:featureMember><e:f gml:id="f${index}">${feature}</e:f></gml:featureMember>`,
  )
  await writeFile(path, `<${root}>${members.join('\n')}</gml:FeatureCollection>`)
  return readTables(path)
}

async function onlyTable(tables: GdalTable[]): Promise<GdalTable> {
  assert.equal(tables.length, 1)
  return tables[0] as GdalTable
}

/** Without the first column, `gml_id`. */
const valuesOf = ({ rows }: GdalTable) => rows.map((row) => row.slice(1))

/** Creates a row of elements named a, b, c and so on. */
const elements = (...values: string[]) =>
  values
    .map((value, index) => {
      const name = String.fromCharCode(97 + index)
      return value === '' ? '' : `<e:${name}>${value}</e:${name}>`
    })
    .join('')

describe('attributes of GML', needsGdal, () => {
  it('get the type that loses nothing of any value in the file', async (test) => {
    const table = await onlyTable(
      await readGml(test, [
        elements('5', '1.5', 'true', '2024-02-29', '2024-02-29T10:00:00Z', '9007199254740993'),
        elements('', '', '', '', '', ''),
        elements('-6', '2', 'false', '2024-03-01', '2024-03-01T00:00:00.5Z', '1'),
      ]),
    )
    assert.deepEqual(table.columns.slice(1), [
      'a int32',
      'b float64',
      'c boolean',
      'd date',
      'e timestamp',
      'f int64',
    ])
    assert.deepEqual(valuesOf(table), [
      [5, 1.5, true, 19_782, BigInt(Date.parse('2024-02-29T10:00:00Z')) * 1000n, 9_007_199_254_740_993n],
      [null, null, null, null, null, null],
      [-6, 2, false, 19_783, BigInt(Date.parse('2024-03-01T00:00:00.5Z')) * 1000n, 1n],
    ])
    const { name, source, example } = table.layer.schema.attributes[4] ?? {}
    assert.deepEqual([name, source, example], ['d', 'd', '2024-02-29'])
  })

  it('stay text with leading zeros, a plus sign, more than 15 digits behind a point, or mixed forms', async (test) => {
    const table = await onlyTable(
      await readGml(test, [
        elements('007', '+1', '0.12345678901234567', '5', '2024-02-29', '12345678901234567890'),
        elements('8', '2', '1', 'n/a', '29.2.2024', '1'),
      ]),
    )
    assert.deepEqual(
      table.columns.slice(1).map((column) => column.split(' ')[1]),
      ['text', 'text', 'text', 'text', 'text', 'text'],
    )
    assert.deepEqual(valuesOf(table)[0], [
      '007',
      '+1',
      '0.12345678901234567',
      '5',
      '2024-02-29',
      '12345678901234567890',
    ])
  })
})

describe('axis order of GML', needsGdal, () => {
  const cases = [
    ['urn:ogc:def:crs:EPSG::4326', 'EPSG:4326', 11, 48],
    ['urn:ogc:def:crs:EPSG:6.9:4326', 'EPSG:4326', 11, 48],
    ['http://www.opengis.net/def/crs/EPSG/0/4326', 'EPSG:4326', 11, 48],
    ['urn:ogc:def:crs:OGC:1.3:CRS84', 'EPSG:4326', 48, 11],
    ['http://www.opengis.net/gml/srs/epsg.xml#4326', 'EPSG:4326', 48, 11],
    ['EPSG:4326', 'EPSG:4326', 48, 11],
    ['urn:ogc:def:crs:EPSG::31468', 'EPSG:31468', 11, 48],
    ['urn:ogc:def:crs:EPSG::3035', 'EPSG:3035', 11, 48],
    ['urn:ogc:def:crs:EPSG::25832', 'EPSG:25832', 48, 11],
  ] as const

  for (const [srsName, srs, x, y] of cases) {
    it(`is x, y for "48 11" in ${srsName}`, async (test) => {
      const point = `<gml:Point srsName="${srsName}"><gml:pos>48 11</gml:pos></gml:Point>`
      const table = await onlyTable(await readGml(test, [`<e:g>${point}</e:g>`]))
      assert.equal(table.layer.schema.geometry?.crs?.srs, srs)
      assert.deepEqual([...(table.batches[0]?.geometry?.envelopes ?? [])], [x, y, x, y])
      assert.deepEqual(table.layer.envelope, { minX: x, minY: y, maxX: x, maxY: y })
    })
  }

  it('holds for the coordinates of GML 2 as well', async (test) => {
    const coordinates = '<gml:coordinates>48,11</gml:coordinates>'
    const point = `<gml:Point srsName="http://www.opengis.net/gml/srs/epsg.xml#4326">${coordinates}</gml:Point>`
    const path = join(await testFolder(test), 'a.gml')
    const text = `<${root.replace('/gml/3.2', '/gml')}><gml:featureMember><e:f><e:g>${point}</e:g></e:f></gml:featureMember></gml:FeatureCollection>`
    await writeFile(path, text)
    const table = await onlyTable(await readTables(path))
    assert.deepEqual([...(table.batches[0]?.geometry?.envelopes ?? [])], [48, 11, 48, 11])
  })
})

describe("values of SQLite that are none of their column's type", needsGdal, () => {
  it('reject their rows, whatever GDAL makes of them', async (test) => {
    const path = join(await testFolder(test), 'a.sqlite')
    const db = new DatabaseSync(path)
    const wrong: Record<string, string[]> = {
      BOOLEAN: ["'yes'", '12', '1.5'],
      INTEGER: ["'12 apples'", '1.5', "x'01'"],
      BIGINT: ["'12 apples'", '1.5', "x'01'"],
      DOUBLE: ["'12 apples'", "x'01'"],
      VARCHAR: ["x'ff'"],
      DATE: ["'soon'", "'2024-13-45'", "x'01'"],
      DATETIME: ["'soon'"],
      TIME: ["'soon'"],
    }
    const right: Record<string, string> = {
      DATE: "'2024/02/29'",
      DATETIME: "'2024-02-29T10:00:00Z'",
      TIME: "'10:00:00'",
    }
    const tables = Object.keys(wrong)
    for (const type of tables) {
      db.exec(`CREATE TABLE "${type}" (v ${type}, n INTEGER)`)
      const values = [right[type] ?? '1', ...(wrong[type] ?? []), 'NULL', right[type] ?? '0']
      for (const [row, value] of values.entries()) {
        db.exec(`INSERT INTO "${type}" (rowid, v, n) VALUES (${row * 3 + 5}, ${value}, ${row})`)
      }
    }
    db.close()
    const read = await readTables(path)
    assert.deepEqual(read.map(({ layer }) => layer.name).sort(), [...tables].sort())
    for (const { layer, rows, batches } of read) {
      const expected = wrong[layer.name]?.map((_, index) => [index + 2, 'v']) ?? []
      const rejects = batches.flatMap((batch) => batch.rejects)
      assert.deepEqual(
        rejects.map(({ row, field }) => [row, field]),
        expected,
        `${layer.name}: ${JSON.stringify(rejects)}`,
      )
      assert.equal(rows.length, 3, layer.name)
    }
  })
})

describe('a column of SQLite for single geometries that holds several', needsGdal, () => {
  it('is one for several, as GDAL makes it', async (test) => {
    const folder = await testFolder(test)
    const source = join(folder, 'a.geojson')
    const square = '[[[0,0],[1,0],[1,1],[0,0]]]'
    const features = [
      `"Polygon","coordinates":${square}`,
      `"MultiPolygon","coordinates":[${square},${square}]`,
    ].map((geometry) => `{"type":"Feature","properties":{},"geometry":{"type":${geometry}}}`)
    await writeFile(source, `{"type":"FeatureCollection","features":[${features.join(',')}]}`)
    const path = join(folder, 'a.sqlite')
    await runProgram('ogr2ogr', ['-f', 'SQLite', path, source, '-nlt', 'GEOMETRY', '-nln', 't'])
    const db = new DatabaseSync(path)
    db.exec('UPDATE geometry_columns SET geometry_type = 3')
    db.close()
    const table = await onlyTable(await readTables(path))
    assert.equal(table.layer.schema.geometry?.type, 'MultiPolygon')
    assert.deepEqual([table.rows.length, table.batches[0]?.rejects], [2, []])
  })
})

describe('errors after which GDAL ends well', needsGdal, () => {
  it('fail the load and say what is wrong', async (test) => {
    const path = join(await testFolder(test), 'a.sqlite')
    const db = new DatabaseSync(path)
    db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
    const insert = db.prepare('INSERT INTO t (a) VALUES (?)')
    db.exec('BEGIN')
    for (let row = 0; row < 500; row += 1) insert.run('x'.repeat(1000))
    db.exec('COMMIT')
    db.close()
    const bytes = await readFile(path)
    for (const from of [8192, 200_000]) {
      const damaged = Buffer.from(bytes)
      damaged.fill(0xa5, from, from + 100_000)
      await writeFile(path, damaged)
      await assert.rejects(readTables(path), /GDAL .* malformed/, String(from))
    }
  })
})

describe('spreadsheets', needsGdal, () => {
  it('give a table a sheet, their first row the names; cells keep the type they have', async (test) => {
    const path = join(await testFolder(test), 'a.xlsx')
    const number = (text: string, style?: 1 | 2) => ({ number: text, ...(style && { style }) })
    writeXlsx(path, {
      Places: [
        ['code', 'count', 'part', 'mixed', 'day', 'at', 'open', 'digits'],
        [
          '007',
          number('1'),
          number('0.5'),
          number('5'),
          number('45351', 1),
          number('45351.5', 2),
          true,
          '12',
        ],
        ['+8', number('12345678901'), number('2'), 'x', number('45352', 1), number('45352', 2), false, '13'],
        ['9', null, null, null, null, null, null, null],
      ],
      'Empty sheet': [],
      'Only names': [['a', 'b']],
      'Only texts': [
        ['a', 'b'],
        ['x', 'y'],
      ],
    })
    const tables = await readTables(path)
    assert.deepEqual(
      tables.map(({ layer }) => [layer.name, layer.featureCount, layer.schema.geometry]),
      [
        ['Places', 3, undefined],
        ['Only texts', 1, undefined],
      ],
    )
    assert.deepEqual(tables[0]?.columns, [
      'code text',
      'count int64',
      'part float64',
      'mixed text',
      'day date',
      'at timestamp',
      'open boolean',
      'digits text',
    ])
    const micros = (text: string) => BigInt(Date.parse(text)) * 1000n
    assert.deepEqual(tables[0]?.rows, [
      ['007', 1n, 0.5, '5', 19_782, micros('2024-02-29T12:00:00Z'), true, '12'],
      ['+8', 12_345_678_901n, 2, 'x', 19_783, micros('2024-03-01T00:00:00Z'), false, '13'],
      ['9', null, null, null, null, null, null, null],
    ])
    assert.deepEqual(tables[1]?.rows, [['x', 'y']])
  })

  it('of OpenDocument are read alike', async (test) => {
    const folder = await testFolder(test)
    await writeFile(join(folder, 'in.csv'), 'code,count,day\n007,1,2024/02/29\n08,2,\n')
    await writeFile(join(folder, 'in.csvt'), '"String","Integer","Date"')
    const path = join(folder, 'out.ods')
    await runProgram('ogr2ogr', ['-f', 'ODS', path, join(folder, 'in.csv')])
    const table = await onlyTable(await readTables(path))
    assert.deepEqual(table.columns, ['code text', 'count int32', 'day date'])
    assert.deepEqual(table.rows, [
      ['007', 1, 19_782],
      ['08', 2, null],
    ])
  })
})
