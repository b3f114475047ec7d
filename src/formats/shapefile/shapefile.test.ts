import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { takesProcessorSeconds } from '../../../tests/support/processor-time.ts'
import { dataFile, readContext, readLayer } from '../../../tests/support/read-layer.ts'
import { type WriterRow, type WriterShape, writeShapefile } from '../../../tests/support/shapefile-writer.ts'
import { shapefile } from './shapefile.ts'

const folder = mkdtempSync(join(tmpdir(), 'shapefile-'))
after(() => rmSync(folder, { recursive: true }))
const fixtures = join(import.meta.dirname, '../../../tests/fixtures/shapefile')

let files = 0
function write(
  shapeType: number,
  shapes: WriterShape[],
  more: Partial<Parameters<typeof writeShapefile>[1]> = {},
) {
  files += 1
  const path = join(folder, `f${files}.shp`)
  const rows: WriterRow[] = shapes.map((shape, index) => ({ shape, values: [index + 1] }))
  writeShapefile(path, { shapeType, fields: [{ name: 'id', type: 'N', width: 5 }], rows, ...more })
  return path
}

async function geometriesOf(shapeType: number, shapes: WriterShape[]) {
  const { layer, rows, rejects } = await readLayer(shapefile, write(shapeType, shapes))
  assert.deepEqual(rejects, [])
  const { type, hasZ, hasM } = layer.schema.geometry ?? { type: undefined, hasZ: false, hasM: false }
  return { type, hasZ, hasM, geometries: rows.map((row) => row.geometry), messages: layer.messages }
}

/** Returns a square ring, clockwise as an outer ring, otherwise as a hole. */
function square(x: number, y: number, size: number, isOuter = true): number[] {
  const ring = [x, y, x, y + size, x + size, y + size, x + size, y, x, y]
  if (isOuter) return ring
  return [x, y, x + size, y, x + size, y + size, x, y + size, x, y]
}

function corners(text: string): string {
  return text.replaceAll(/\(([\d.]+ [\d.]+),[^()]*\)/g, '<$1>')
}

describe('Shapefile, real files', () => {
  it('reads Korean texts of the Windows code page 949', async () => {
    const { rows, rejects } = await readLayer(shapefile, join(fixtures, '../encodings/korean-uhc.shp'))
    assert.deepEqual(rejects, [])
    assert.deepEqual(
      rows.flatMap(({ values }) => values.filter((value) => typeof value === 'string')),
      ['똠방각하 펲시콜라'],
    )
  })

  it('reads lines with their fields, CRS and bounds', async () => {
    const { layer, rows } = await readLayer(
      shapefile,
      join(fixtures, 'ne_110m_admin_0_boundary_lines_land.shp'),
    )
    assert.equal(layer.name, 'ne_110m_admin_0_boundary_lines_land')
    assert.equal(layer.featureCount, 185)
    assert.equal(rows.length, 185)
    assert.equal(layer.schema.geometry?.type, 'LineString')
    assert.match(layer.schema.geometry?.crs?.wkt ?? '', /^GEOGCS\["GCS_WGS_1984"/)
    assert.deepEqual(layer.messages, [])
    assert.match(rows[0]?.geometry ?? '', /^LINESTRING \(-62.84648000000001 -22.034990000000004,-63.98684/)
    assert.ok(Math.abs((layer.envelope?.minX ?? 0) + 140.99778) < 1e-9)
  })

  it('makes polygons multi where some state has islands', async () => {
    const { layer, rows } = await readLayer(
      shapefile,
      join(fixtures, 'ne_110m_admin_1_states_provinces_shp.shp'),
    )
    assert.equal(layer.schema.geometry?.type, 'MultiPolygon')
    assert.equal(rows.length, 51)
    const name = layer.schema.attributes.findIndex((attribute) => attribute.name === 'name')
    const hawaii = rows.find((row) => row.values[name] === 'Hawaii')
    assert.equal(hawaii?.geometry?.match(/\(\(/g)?.length, 5)
  })

  it('reads a file without .prj as one without CRS', async () => {
    const { layer, rows } = await readLayer(shapefile, join(fixtures, 'blockgroups.shp'))
    assert.equal(rows.length, 663)
    assert.equal(layer.schema.geometry?.crs, undefined)
    const rents = layer.schema.attributes.find((attribute) => attribute.name === 'POP1990')
    assert.equal(rents?.type, 'int32')
  })

  it('reads UTF-8 that a .cpg declares', async () => {
    const { layer, rows } = await readLayer(shapefile, join(fixtures, 'utf.shp'))
    assert.equal(layer.charset, 'UTF-8')
    assert.deepEqual(rows[0]?.values, ['\u{1F4A9}'])
  })

  it('is recognised by its content, and an index is not one', async () => {
    const path = join(fixtures, 'utf.shp')
    const head = readFileSync(path)
    assert.equal(await shapefile.detect(dataFile(path), head), true)
    assert.equal(await shapefile.detect({ path: 'upload.bin', sidecars: {} }, head), true)
    assert.equal(await shapefile.detect({ path: 'utf.shx', sidecars: {} }, head), false)
    assert.equal(await shapefile.detect(dataFile(path), readFileSync(join(fixtures, 'utf.dbf'))), false)
    assert.equal(await shapefile.detect(dataFile(path), new Uint8Array(0)), false)
  })
})

describe('Shapefile geometry types', () => {
  it('reads points, null shapes and empty shapes', async () => {
    const { type, geometries } = await geometriesOf(1, [{ parts: [[1.5, -2]] }, null])
    assert.deepEqual([type, geometries], ['Point', ['POINT (1.5 -2)', null]])
    const lines = await geometriesOf(3, [{ parts: [[0, 0, 1, 1]] }, { parts: [] }])
    assert.deepEqual(lines.geometries, ['LINESTRING (0 0,1 1)', null])
  })

  it('reads Z and M of points', async () => {
    const withZ = await geometriesOf(11, [{ parts: [[1, 2, 3, 4]] }])
    assert.deepEqual(withZ.geometries, ['POINT ZM (1 2 3 4)'])
    const withM = await geometriesOf(21, [{ parts: [[1, 2, 4]] }])
    assert.deepEqual(withM.geometries, ['POINT M (1 2 4)'])
    assert.deepEqual([withM.hasZ, withM.hasM], [false, true])
  })

  it('has no M where a Z type carries none but "no data"', async () => {
    const { geometries, hasZ, hasM } = await geometriesOf(13, [{ parts: [[0, 0, 1, -1e39, 5, 5, 2, -1e39]] }])
    assert.deepEqual([hasZ, hasM, geometries], [true, false, ['LINESTRING Z (0 0 1,5 5 2)']])
  })

  it('turns single "no data" measures into NaN where others have values', async () => {
    const path = write(13, [{ parts: [[0, 0, 1, -1e39, 5, 5, 2, 7]] }])
    const file = dataFile(path)
    const [layer] = await shapefile.describe(file, readContext())
    assert.equal(layer?.schema.geometry?.hasM, true)
    if (layer === undefined) return
    for await (const { geometry } of shapefile.read(file, layer, readContext())) {
      const view = new DataView(geometry?.bytes.buffer ?? new ArrayBuffer(0))
      assert.ok(Number.isNaN(view.getFloat64(9 + 24, true)))
      assert.equal(view.getFloat64(9 + 32 + 24, true), 7)
    }
  })

  it('reads multipoints and polygons with Z and M', async () => {
    const points = await geometriesOf(8, [{ parts: [[1, 2, 3, 4]] }])
    assert.deepEqual(points.geometries, ['MULTIPOINT ((1 2),(3 4))'])
    const measured = await geometriesOf(28, [{ parts: [[1, 2, 5, 3, 4, 6]] }])
    assert.deepEqual(measured.geometries, ['MULTIPOINT M ((1 2 5),(3 4 6))'])
    const ring = [0, 0, 1, 9, 0, 1, 2, 9, 1, 1, 3, 9, 0, 0, 1, 9]
    const polygon = await geometriesOf(15, [{ parts: [ring] }])
    assert.deepEqual(polygon.geometries, ['POLYGON ZM ((0 0 1 9,0 1 2 9,1 1 3 9,0 0 1 9))'])
  })

  it('makes every line multi when one has several parts', async () => {
    const { type, geometries } = await geometriesOf(3, [
      { parts: [[0, 0, 1, 1]] },
      {
        parts: [
          [0, 0, 1, 1],
          [2, 2, 3, 3],
        ],
      },
    ])
    assert.equal(type, 'MultiLineString')
    assert.deepEqual(geometries, ['MULTILINESTRING ((0 0,1 1))', 'MULTILINESTRING ((0 0,1 1),(2 2,3 3))'])
  })

  it('takes the type of the first shape where the header says Null', async () => {
    const path = write(1, [null, { parts: [[1, 2]] }])
    const bytes = readFileSync(path)
    bytes.writeInt32LE(0, 32)
    writeFileSync(path, bytes)
    const { layer, rows } = await readLayer(shapefile, path)
    assert.equal(layer.schema.geometry?.type, 'Point')
    assert.deepEqual(
      rows.map((row) => row.geometry),
      [null, 'POINT (1 2)'],
    )
  })

  it('is a table where there are only null shapes', async () => {
    const { layer, rows } = await readLayer(shapefile, write(0, [null, null]))
    assert.equal(layer.schema.geometry, undefined)
    assert.deepEqual(
      rows.map((row) => row.values),
      [[1], [2]],
    )
  })

  it('keeps the schema of a file without records', async () => {
    const { layer, rows } = await readLayer(shapefile, write(5, []))
    assert.deepEqual([layer.featureCount, layer.schema.geometry?.type, rows], [0, 'Polygon', []])
    assert.deepEqual(layer.schema.attributes, [{ name: 'id', type: 'int32' }])
    assert.equal(layer.envelope, undefined)
  })
})

describe('Shapefile polygon rings', () => {
  it('gives holes to the smallest outer ring around them, wherever they stand in the record', async () => {
    const parts = [
      square(4, 4, 1, false),
      square(0, 0, 10),
      square(2, 2, 6, false),
      square(3, 3, 4),
      square(20, 0, 5),
    ]
    const { type, geometries } = await geometriesOf(5, [{ parts }])
    assert.equal(type, 'MultiPolygon')
    assert.equal(corners(geometries[0] ?? ''), 'MULTIPOLYGON ((<0 0>,<2 2>),(<3 3>,<4 4>),(<20 0>))')
  })

  it('keeps one outer ring with holes a single polygon', async () => {
    const { type, geometries } = await geometriesOf(5, [
      { parts: [square(0, 0, 9), square(1, 1, 2, false), square(5, 5, 2, false)] },
    ])
    assert.equal(type, 'Polygon')
    assert.equal(geometries[0]?.match(/\(/g)?.length, 4)
  })

  it('accepts a single ring of either orientation', async () => {
    const { type, geometries } = await geometriesOf(5, [{ parts: [square(0, 0, 1, false)] }])
    assert.deepEqual([type, geometries], ['Polygon', ['POLYGON ((0 0,1 0,1 1,0 1,0 0))']])
  })

  it('sorts rings by nesting where all orientations are turned round', async () => {
    const { type, geometries } = await geometriesOf(5, [{ parts: [square(2, 2, 2), square(0, 0, 9, false)] }])
    assert.equal(type, 'Polygon')
    assert.equal(geometries[0], 'POLYGON ((0 0,9 0,9 9,0 9,0 0),(2 2,2 4,4 4,4 2,2 2))')
  })

  it('keeps two outer rings that lie in one another as they are', async () => {
    const { geometries } = await geometriesOf(5, [{ parts: [square(0, 0, 9), square(2, 2, 2)] }])
    assert.match(geometries[0] ?? '', /^MULTIPOLYGON \(\(\(0 0,.*\)\),\(\(2 2,.*\)\)\)$/)
  })

  it('assigns a hole that touches its outer ring', async () => {
    const touching = [0, 0, 2, 1, 1, 2, 0, 0]
    const { type } = await geometriesOf(5, [{ parts: [square(0, 0, 9), touching] }])
    assert.equal(type, 'Polygon')
  })

  it('closes open rings and completes short ones, and says how many', async () => {
    const { geometries, messages } = await geometriesOf(5, [
      { parts: [[0, 0, 0, 1, 1, 1]] },
      { parts: [[5, 5, 6, 6, 5, 5]] },
      { parts: [square(0, 0, 1)] },
    ])
    assert.deepEqual(geometries.slice(0, 2), ['POLYGON ((0 0,0 1,1 1,0 0))', 'POLYGON ((5 5,6 6,5 5,5 5))'])
    assert.deepEqual(
      messages.map((message) => message.code),
      ['completed-geometries'],
    )
    assert.match(messages[0]?.message ?? '', /^2 shapes/)
  })

  it('sorts ten thousand rings without comparing each with each', () =>
    takesProcessorSeconds(60, async () => {
      const parts: number[][] = []
      for (let i = 0; i < 5000; i += 1) {
        const [x, y] = [(i % 100) * 10, Math.floor(i / 100) * 10]
        parts.push(square(x, y, 8), square(x + 2, y + 2, 4, false))
      }
      const { geometries } = await geometriesOf(5, [{ parts }])
      assert.equal(geometries[0]?.match(/\(\(/g)?.length, 5000)
    }))
})
