import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Value } from '../../../tests/support/batches.ts'
import { schemaOf, wkb } from '../../../tests/support/batches.ts'
import { readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import {
  aboutLayer,
  everyType,
  geometriesOf,
  writtenDocument,
} from '../../../tests/support/written-layers.ts'
import type { AttributeType } from '../../geo/schema.ts'
import { geometryTypes } from '../../geo/schema.ts'
import { writeGeometryText } from '../../geo/wkb-to-wkt.ts'
import { csv } from '../csv/csv.ts'
import { csvFormat } from './csv-format.ts'

const keep = temporaryFiles()
const readBack = (written: Uint8Array | string) => readLayer(csv, keep('things.csv', written))
const textOf = (written: Uint8Array): string => Buffer.from(written).toString('utf8')

/** Types that the reader infers where a type would be misread otherwise: large exponents, many digits. */
const readAs: Partial<Record<AttributeType, AttributeType>> = {
  int16: 'int32',
  float32: 'text',
  float64: 'text',
  decimal: 'text',
  binary: 'text',
}

function expected(value: Value, type: AttributeType): Value {
  if (value === null || readAs[type] !== 'text') return value
  if (type === 'binary') return Buffer.from(value as Uint8Array).toString('base64')
  return String(value)
}

describe('features written as CSV', () => {
  it('are read back by our own reader, value by value', async () => {
    const { schema, rows } = everyType('Point')
    const written = await writtenDocument(csvFormat, aboutLayer(schema, { hidesIds: true }), rows)
    const { layer, rows: read, rejects } = await readBack(written)
    assert.deepEqual(rejects, [])
    assert.deepEqual(
      layer.schema.attributes.map(({ name, type }) => [name, type]),
      schema.attributes.map(({ name, type }) => [name, readAs[type] ?? type]),
    )
    const shown = rows.map(({ values, geometry }) => ({
      geometry: geometry == null ? null : writeGeometryText(geometry),
      values: values.map((value, at) => expected(value, schema.attributes[at]?.type ?? 'text')),
    }))
    assert.deepEqual(
      read.map(({ geometry, values }) => ({ geometry, values })),
      shown,
    )
  })

  it('have their geometries as WKT: of every type, empty, with Z and M', async () => {
    for (const type of geometryTypes.filter((one) => one !== 'Geometry'))
      for (const dimensions of ['xy', 'xyz', 'xym', 'xyzm']) {
        const geometries = geometriesOf(type, dimensions)
        const schema = schemaOf({ name: 'text' }, type)
        const rows = geometries.map((geometry) => ({ geometry, values: ['a'] }))
        const { rows: read } = await readBack(await writtenDocument(csvFormat, aboutLayer(schema), rows))
        assert.deepEqual(
          read.map(({ geometry }) => geometry),
          geometries.map((one) => writeGeometryText(one)),
          `${type} ${dimensions}`,
        )
      }
  })

  it('tell null from an empty text, and keep names apart', async () => {
    const schema = schemaOf({ id: 'text', 'a "b", c': 'text', wkt: 'text' }, 'Point')
    const rows = [
      { geometry: wkb('Point', [1, 2]), values: ['', null, '=1+1'] },
      { geometry: null, values: [null, '', null] },
    ]
    const text = textOf(await writtenDocument(csvFormat, aboutLayer(schema), rows))
    assert.equal(text, 'id_0,id,"a ""b"", c",wkt,WKT_0\r\n1,"",,"=1+1","POINT (1 2)"\r\n2,,"",,\r\n')
  })

  it('have the axes of a CRS in its own order where that is wanted', async () => {
    const schema = schemaOf({}, 'LineString')
    const crs = { uri: 'http://www.opengis.net/def/crs/EPSG/0/4326', srs: 'EPSG:4326', isYx: true }
    const rows = [
      {
        geometry: wkb(
          'LineString',
          [
            [1, 2, 3],
            [4, 5, 6],
          ],
          'xyz',
        ),
        values: [],
      },
    ]
    const text = textOf(await writtenDocument(csvFormat, aboutLayer(schema, { crs, hidesIds: true }), rows))
    assert.equal(text, 'WKT\r\n"LINESTRING Z (2 1 3,5 4 6)"\r\n')
  })

  it('are a head alone where there are none', async () => {
    const { schema } = everyType()
    const text = textOf(await writtenDocument(csvFormat, aboutLayer(schema), []))
    assert.match(text, /^id,a boolean,[^\r\n]*\r\n$/)
    const nothing = schemaOf({})
    const rows = [{ values: [] }, { values: [] }]
    assert.equal(
      textOf(await writtenDocument(csvFormat, aboutLayer(nothing, { hidesIds: true }), rows)),
      '\r\n""\r\n""\r\n',
    )
  })
})
