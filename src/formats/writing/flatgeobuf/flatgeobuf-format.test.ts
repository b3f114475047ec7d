import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Value } from '../../../../tests/support/batches.ts'
import { schemaOf } from '../../../../tests/support/batches.ts'
import { hasGdalBindings, readByGdal } from '../../../../tests/support/gdal-reference.ts'
import { readLayer } from '../../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../../tests/support/temporary-files.ts'
import {
  aboutLayer,
  everyType,
  geometriesOf,
  writtenDocument,
} from '../../../../tests/support/written-layers.ts'
import type { AttributeType, GeometryField } from '../../../geo/schema.ts'
import { geometryTypes } from '../../../geo/schema.ts'
import { timeText } from '../../../geo/time-text.ts'
import { writeGeometryText } from '../../../geo/wkb-to-wkt.ts'
import { flatgeobuf } from '../../flatgeobuf/flatgeobuf.ts'
import { flatGeobufFormat } from './flatgeobuf-format.ts'

const keep = temporaryFiles()
const single = geometryTypes.filter((one) => one !== 'Geometry')

const readAs: Partial<Record<AttributeType, AttributeType>> = {
  decimal: 'text',
  time: 'text',
  date: 'timestamp',
}

function expected(value: Value, type: AttributeType): Value {
  if (value === null) return null
  if (type === 'date') return BigInt(value as number) * 86_400_000_000n
  return type === 'time' ? timeText(value as bigint) : value
}

const fieldOf = (type: GeometryField['type'], dimensions: string): GeometryField => ({
  name: 'geom',
  type,
  hasZ: dimensions.includes('z'),
  hasM: dimensions.includes('m'),
  crs: { srs: 'EPSG:4326' },
})

/**
 * GDAL reports an empty geometry without its dimensions, and an empty polygon as one with a ring without
 * points.
 */
function hexForm(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  const type = bytes.readUInt32LE(1) % 1000
  const isEmpty =
    type > 1 && (bytes.readUInt32LE(5) === 0 || (bytes.length === 13 && bytes.readUInt32LE(9) === 0))
  return isEmpty ? `empty ${type}` : hex
}

describe('features written as FlatGeobuf', () => {
  let hasGdal = false
  before(async () => {
    hasGdal = await hasGdalBindings()
  })

  it('are read back by our own reader, value by value', async () => {
    const { schema, rows } = everyType('Point')
    const written = await writtenDocument(flatGeobufFormat, aboutLayer(schema, { hidesIds: true }), rows)
    const { layer, rows: read, rejects } = await readLayer(flatgeobuf, keep('things.fgb', written))
    assert.deepEqual(rejects, [])
    assert.deepEqual(
      layer.schema.attributes.map(({ name, type }) => [name, type]),
      schema.attributes.map(({ name, type }) => [name, readAs[type] ?? type]),
    )
    assert.deepEqual(layer.schema.geometry?.crs?.srs, 'EPSG:4326')
    assert.deepEqual(
      read.map(({ geometry, values }) => ({ geometry, values })),
      rows.map(({ values, geometry }) => ({
        geometry: geometry == null ? null : writeGeometryText(geometry),
        values: values.map((value, at) => expected(value, schema.attributes[at]?.type ?? 'text')),
      })),
    )
  })

  it('have geometries of every type, alone and mixed, empty, with Z and M, as our reader and GDAL read them', async () => {
    const files: { name: string; path: string; driver: string; geometries: Uint8Array[] }[] = []
    for (const dimensions of ['xy', 'xyz', 'xym', 'xyzm'])
      for (const type of [...single, 'Geometry'] as const) {
        const geometries =
          type === 'Geometry'
            ? single.flatMap((one) => geometriesOf(one, dimensions))
            : geometriesOf(type, dimensions)
        const schema = schemaOf({ name: 'text' }, fieldOf(type, dimensions))
        const rows = geometries.map((geometry) => ({ geometry, values: ['a'] }))
        const path = keep(
          `${type}-${dimensions}.fgb`,
          await writtenDocument(flatGeobufFormat, aboutLayer(schema, { hidesIds: true }), rows),
        )
        const { rows: read, rejects } = await readLayer(flatgeobuf, path)
        assert.deepEqual(rejects, [])
        assert.deepEqual(
          read.map(({ geometry }) => geometry),
          geometries.map((one) => writeGeometryText(one)),
          `${type} ${dimensions}`,
        )
        files.push({ name: path, path, driver: 'FlatGeobuf', geometries })
      }
    if (!hasGdal) return
    const gdalFiles = await readByGdal(files, {})
    for (const [index, { error, layers }] of gdalFiles.entries()) {
      const { name, geometries } = files[index] ?? { name: '', geometries: [] }
      assert.equal(error, undefined, name)
      assert.deepEqual(
        layers[0]?.rows.map(({ geometry }) => hexForm(geometry ?? '')),
        geometries.map((one) => hexForm(Buffer.from(one).toString('hex'))),
        name,
      )
    }
  })
})
