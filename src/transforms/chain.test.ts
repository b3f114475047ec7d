import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runBatch, tableBatch, tableRows, tableSchema } from '../../tests/support/table-batches.ts'
import { sameValues } from '../../tests/support/without-undefined.ts'
import type { FeatureBatch } from '../geo/batch.ts'
import { BatchBuilder } from '../geo/batch.ts'
import type { FixedBuilder } from '../geo/column-builder.ts'
import type { GeometryBuilder } from '../geo/geometry-builder.ts'
import type { Schema } from '../geo/schema.ts'
import { chainIndexes, chainSchema, describeTransform, foldChain, validateTransform } from './chain.ts'
import { fromJavaClass, toJavaClass } from './java-class.ts'
import type { TransformSpec } from './transform.ts'

const pointSpec: TransformSpec = {
  type: 'AttributesToPointGeometryTransform',
  latField: 'lat',
  lngField: 'lon',
}
const places = tableSchema({ name: 'text', lat: 'text', lon: 'float64', year: 'int32' })

function pointBatch(points: [number, number][], crs?: { srs: string }): FeatureBatch {
  const geometry = { name: 'geom', type: 'Point' as const, hasZ: false, hasM: false, crs }
  const schema: Schema = { attributes: [{ name: 'id', type: 'int32' }], geometry }
  const builder = new BatchBuilder(schema)
  for (const [index, [x, y]] of points.entries()) {
    const target = builder.geometry as GeometryBuilder
    target.header(1, false, false)
    target.coordinate(x, y)
    target.endGeometry()
    ;(builder.columns[0] as FixedBuilder).append(index)
    builder.endRow(index + 1)
  }
  return builder.finish()
}

function pointAt(batch: FeatureBatch, row: number): [number, number] {
  const bytes = batch.geometry?.bytes ?? new Uint8Array(0)
  const view = new DataView(bytes.buffer, bytes.byteOffset + (batch.geometry?.offsets[row] ?? 0))
  return [view.getFloat64(5, true), view.getFloat64(13, true)]
}

describe('validateTransform', () => {
  it('knows the six types in any letter case and no others', () => {
    assert.equal(
      validateTransform({ type: 'reprojecttransform', target: 'EPSG:4326' }).type,
      'ReprojectTransform',
    )
    assert.throws(() => validateTransform({ type: 'AttributeComputeTransform' }), {
      code: 'unknown-transform',
    })
  })

  it('names a parameter that is missing, null or of another type', () => {
    const wrong = [{}, { field: null }, { field: 7 }, { field: '' }]
    for (const parameters of wrong) {
      assert.throws(() => validateTransform({ type: 'CreateIndexTransform', ...parameters }), /"field"/)
    }
  })

  it('ignores parameters that it does not know', () => {
    validateTransform({ type: 'CreateIndexTransform', field: 'a', presentation: 'LIST' })
  })
})

describe('showTransform', () => {
  it('shows parameters with their defaults', () => {
    sameValues(describeTransform({ type: 'ReprojectTransform', target: 'epsg:3857' }), {
      type: 'ReprojectTransform',
      source: null,
      target: 'EPSG:3857',
    })
    sameValues(describeTransform({ ...pointSpec, preserveGeometry: 'true' }), {
      type: 'AttributesToPointGeometryTransform',
      latField: 'lat',
      lngField: 'lon',
      pointFieldName: 'location',
      preserveGeometry: true,
    })
    sameValues(describeTransform({ type: 'DateFormatTransform', field: 'a', format: null }), {
      type: 'DateFormatTransform',
      field: 'a',
    })
  })
})

describe('foldChain', () => {
  it('gives the schema after each step', () => {
    const declaredCrs = { srs: 'EPSG:4326' }
    const specs = [pointSpec, { type: 'ReprojectTransform', target: 'EPSG:3857' }]
    const [first, second] = foldChain(places, specs, { declaredCrs })
    assert.deepEqual(
      first?.attributes.map(({ name }) => name),
      ['name', 'year'],
    )
    assert.deepEqual(first?.geometry, {
      name: 'location',
      type: 'Point',
      hasZ: false,
      hasM: false,
      crs: declaredCrs,
    })
    assert.deepEqual(second?.geometry?.crs, { srs: 'EPSG:3857' })
  })

  it('names the place in the chain of what does not fit', () => {
    const specs = [pointSpec, { type: 'CreateIndexTransform', field: 'lat' }]
    assert.throws(() => foldChain(places, specs), /^TransformError: Transformation 2 .*"lat" does not exist/)
    assert.throws(() => chainSchema(places, [{ type: 'ReprojectTransform', target: 'EPSG:4326' }]), {
      code: 'no-geometry',
    })
    assert.throws(
      () => chainSchema(places, [pointSpec, { type: 'ReprojectTransform', target: 'EPSG:4326' }]),
      { code: 'no-crs' },
    )
  })

  it('refuses what cannot be done with a field', () => {
    const unsuitable: TransformSpec[] = [
      { type: 'AttributeRemapTransform', field: 'name', target: 'java.lang.Object' },
      { type: 'AttributeRemapTransform', field: 'year', target: 'java.sql.Date' },
      { type: 'AttributeRemapTransform', field: 'year', target: 'org.locationtech.jts.geom.Point' },
      { type: 'DateFormatTransform', field: 'name', format: 'bbb' },
      { type: 'DateFormatTransform', field: 'lon' },
      { type: 'ReprojectTransform', target: '4326' },
      { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lat' },
      { ...pointSpec, pointFieldName: 'name' },
    ]
    for (const spec of unsuitable)
      assert.throws(() => chainSchema(places, [spec]), { name: 'TransformError' })
  })

  it('gathers the columns to index', () => {
    const specs = ['a', 'b', 'a'].map((field) => ({ type: 'CreateIndexTransform', field }))
    assert.deepEqual(chainIndexes([...specs, pointSpec]), ['a', 'b'])
  })
})

describe('runChain', () => {
  it('lets each transformation see what the one before made', async () => {
    const batch = tableBatch(places, [['Bonn', '50', 9, 2024]])
    const { batch: changed } = await runBatch(batch, [
      pointSpec,
      { type: 'ReprojectTransform', source: 'EPSG:4326', target: 'EPSG:32632' },
      { type: 'IntegerFieldToDateTransform', field: 'year' },
    ])
    const [x, y] = pointAt(changed, 0)
    assert.ok(Math.abs(x - 500_000) < 1e-6 && Math.abs(y - 5_538_630.7027) < 1e-3)
    assert.deepEqual(tableRows(changed), [['Bonn', 19_723]])
    assert.deepEqual(changed.schema.attributes[1]?.type, 'date')
  })

  it('accounts for every row, and keeps rejected ones as they stood', async () => {
    const rows = [
      ['a', '50', 9, 2024],
      ['b', 'n/a', 9, 2024],
      ['c', '', 9, 2024],
      ['d', null, 9, 2024],
      ['e', '50', 9, 0],
      ['f', '50', null, 2024],
    ] as const
    const batch = tableBatch(
      places,
      rows.map((row) => [...row]),
    )
    const { batch: changed } = await runBatch(batch, [
      pointSpec,
      { type: 'IntegerFieldToDateTransform', field: 'year' },
    ])
    assert.deepEqual([...changed.rowNumbers], [1, 3, 4, 6])
    assert.equal(changed.geometry?.nullCount, 3)
    assert.deepEqual(changed.rejects[0], {
      row: 2,
      field: 'lat',
      value: 'n/a',
      reason: 'The value is not a number',
      properties: { name: 'b', lat: 'n/a', lon: 9, year: 2024 },
    })
    assert.equal(changed.rejects[1]?.row, 5)
    assert.ok(changed.rejects[1]?.geometry !== undefined)
  })

  it('shares the columns that it leaves alone', async () => {
    const batch = tableBatch(places, [['a', '1', 2, 3]])
    const { batch: changed } = await runBatch(batch, [{ type: 'IntegerFieldToDateTransform', field: 'year' }])
    assert.equal(changed.columns[0], batch.columns[0])
    assert.equal(changed.columns[2], batch.columns[2])
  })

  it('keeps an old geometry as binary only where that is wanted', async () => {
    const batch = pointBatch([[1, 2]], { srs: 'EPSG:25832' })
    const withFields = {
      ...batch,
      schema: { ...batch.schema, attributes: [{ name: 'lat', type: 'int32' as const }] },
    }
    const schema = {
      ...withFields.schema,
      attributes: [...withFields.schema.attributes, { name: 'lon', type: 'int32' as const }],
    }
    const column = batch.columns[0] as FeatureBatch['columns'][number]
    const both: FeatureBatch = { ...batch, schema, columns: [column, column] }
    const kept = await runBatch(both, [{ ...pointSpec, preserveGeometry: true }])
    assert.deepEqual(kept.batch.schema.attributes, [{ name: 'geom', type: 'binary' }])
    const wkb = tableRows(kept.batch)[0]?.[0]
    assert.ok(wkb instanceof Uint8Array && wkb.length === 21)
    const dropped = await runBatch(both, [pointSpec])
    assert.deepEqual(dropped.batch.schema.attributes, [])
    assert.deepEqual(dropped.batch.schema.geometry?.crs, { srs: 'EPSG:25832' })
  })

  it('rejects a row whose geometry has no place in the target CRS', async () => {
    const batch = pointBatch(
      [
        [1, 2],
        [0, 90],
      ],
      { srs: 'EPSG:4326' },
    )
    const { batch: changed } = await runBatch(batch, [{ type: 'ReprojectTransform', target: 'EPSG:3857' }])
    assert.equal(changed.rowCount, 1)
    assert.deepEqual(changed.rejects[0]?.field, 'geom')
    assert.deepEqual(changed.rejects[0]?.value, 'Point 0 90')
  })

  it('warns of a datum transformation that nobody knows', async () => {
    const batch = pointBatch([[101.7, 3.1]], { srs: 'EPSG:4326' })
    const { messages } = await runBatch(batch, [{ type: 'ReprojectTransform', target: 'EPSG:3375' }])
    assert.equal(messages.length, 1)
    assert.match(messages[0] ?? '', /No datum transformation/)
  })

  it('reads years from numbers and text', async () => {
    const schema = tableSchema({ a: 'text', b: 'float64' })
    const batch = tableBatch(schema, [
      ['1969', 2000],
      ['12x', 2000],
      ['1999', 2000.5],
      ['10000', 1],
    ])
    const specs = ['a', 'b'].map((field) => ({ type: 'IntegerFieldToDateTransform', field }))
    const { batch: changed } = await runBatch(batch, specs)
    assert.deepEqual(tableRows(changed), [[-365, 10_957]])
    assert.deepEqual(
      changed.rejects.map(({ row, field }) => `${row} ${field}`),
      ['2 a', '4 a', '3 b'],
    )
  })
})

describe('Java class names', () => {
  it('mean the types that existing clients send', () => {
    assert.deepEqual(fromJavaClass('java.lang.Integer'), { attribute: 'int32' })
    assert.deepEqual(fromJavaClass('java.util.Date'), { attribute: 'timestamp' })
    assert.deepEqual(fromJavaClass('com.vividsolutions.jts.geom.MultiPolygon'), { geometry: 'MultiPolygon' })
    assert.equal(fromJavaClass('java.lang.Object'), undefined)
    assert.equal(toJavaClass('timestamp'), 'java.sql.Timestamp')
    assert.equal(toJavaClass('Geometry'), 'org.locationtech.jts.geom.Geometry')
  })
})
