import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { schemaOf, wkb } from '../../tests/support/batches.ts'
import type { DecodedFeature } from '../../tests/support/tiles.ts'
import { decodeTile, encodeBatch, encodeRows, shapeProblems } from '../../tests/support/tiles.ts'
import type { FeatureBatch } from '../geo/batch.ts'
import { createReprojector } from '../geo/crs-reproject.ts'
import type { GeometryType } from '../geo/schema.ts'

const flat = schemaOf({}, 'Geometry')
const world = { z: 0, x: 0, y: 0 }
const degrees = await createReprojector('EPSG:4326', 'EPSG:3857')
const crs = { crs: 'EPSG:4326', reprojector: degrees }

async function shapesOf(
  geometries: Uint8Array[],
  tile = world,
  way: { crs?: string; reprojector?: typeof degrees } = crs,
): Promise<{ features: DecodedFeature[]; counts: Awaited<ReturnType<typeof encodeRows>>['counts'] }> {
  const rows = geometries.map((geometry) => ({ geometry, values: [] }))
  const { bytes, counts } = await encodeRows(rows, { schema: flat, tile, ...way })
  return { features: decodeTile(bytes), counts }
}

const square = (x: number, y: number, size: number): number[][] => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
  [x, y],
]

describe('a vector tile', () => {
  it('holds values by their types, and leaves out what it cannot hold', async () => {
    const schema = schemaOf(
      {
        yes: 'boolean',
        small: 'int16',
        below: 'int64',
        beyond: 'int64',
        single: 'float32',
        real: 'float64',
        nan: 'float64',
        exact: 'decimal',
        word: 'text',
        day: 'date',
        hour: 'time',
        moment: 'timestamp',
        bytes: 'binary',
        none: 'text',
      },
      'Point',
    )
    const values = [
      true,
      7,
      -(2n ** 53n - 1n),
      2n ** 60n,
      0.5,
      1.25,
      Number.NaN,
      '12.50',
      'Žilina',
      0,
      1_000_000n,
    ]
    const row = { geometry: wkb('Point', [0, 0]), values: [...values, 1n, new Uint8Array(2), null] }
    const { bytes } = await encodeRows([row], { schema, tile: world, ...crs })
    assert.deepEqual(decodeTile(bytes)[0]?.properties, {
      yes: true,
      small: 7,
      below: -(2 ** 53 - 1),
      beyond: String(2n ** 60n),
      single: 0.5,
      real: 1.25,
      exact: '12.50',
      word: 'Žilina',
      day: '1970-01-01',
      hour: '00:00:01',
      moment: '1970-01-01T00:00:00.000001Z',
    })
  })

  it('has whole numbers as ids of features, and others as an attribute', async () => {
    const schema = schemaOf({ id: 'text', _id: 'text' }, 'Point')
    const row = { geometry: wkb('Point', [0, 0]), values: ['own', 'too'] }
    const ids = ['0', '9007199254740991', '9007199254740992', 'a', '007', '']
    const { bytes } = await encodeRows(
      ids.map(() => row),
      { schema, tile: world, ids, ...crs },
    )
    const features = decodeTile(bytes)
    assert.deepEqual(
      features.map(({ id, properties }) => [id, properties['__id']]),
      [
        [0, undefined],
        [2 ** 53 - 1, undefined],
        [undefined, '9007199254740992'],
        [undefined, 'a'],
        [undefined, '007'],
        [undefined, undefined],
      ],
    )
    assert.ok(features.every(({ properties }) => properties['id'] === 'own'))
    const plain = await encodeRows([{ geometry: wkb('Point', [0, 0]), values: [] }], {
      schema: flat,
      tile: world,
      ids: ['x'],
    })
    assert.deepEqual(decodeTile(plain.bytes)[0]?.properties, { id: 'x' })
  })

  it('draws what is too small as the smallest shape at its place', async () => {
    const { features, counts } = await shapesOf([
      wkb('Polygon', [square(10, 50, 0.001)]),
      wkb('LineString', [
        [10, 50],
        [10.001, 50],
      ]),
      wkb('Polygon', [
        [
          [0, 0],
          [40, 0.001],
          [40, 0],
          [0, 0],
        ],
      ]),
    ])
    assert.deepEqual([counts.drawn, counts.collapsed], [3, 3])
    assert.equal(features[0]?.paths[0]?.length, 4)
    assert.equal(features[1]?.paths[0]?.length, 2)
    const sliver = features[2]?.paths[0]?.map(([x]) => x) ?? []
    assert.ok(Math.min(...sliver) === 2048 && Math.max(...sliver) >= 2503)
    assert.deepEqual(features.flatMap(shapeProblems), [])
  })

  it('draws the parts of a collection as features by their dimension', async () => {
    const part = (type: GeometryType, at: number[] | number[][] | number[][][]): Uint8Array => wkb(type, at)
    const parts = [
      part('Point', [1, 2]),
      part('Polygon', [square(0, 0, 20)]),
      part('LineString', [
        [0, 0],
        [9, 9],
      ]),
    ]
    const { features, counts } = await shapesOf([collectionOf(parts)])
    assert.deepEqual(
      features.map(({ type, id }) => [type, id]),
      [
        ['Polygon', 1],
        ['LineString', 1],
        ['Point', 1],
      ],
    )
    assert.equal(counts.drawn, 1)
  })

  it('shows what goes on beyond the antimeridian on both sides of it', async () => {
    const east = { z: 3, x: 7, y: 3 }
    const west = { z: 3, x: 0, y: 3 }
    for (const x of [175, -185, -180 - 5]) {
      const geometry = wkb('Polygon', [square(x, 10, 10)])
      for (const tile of [east, west]) {
        const { features } = await shapesOf([geometry], tile)
        assert.equal(features.length, 1, `${x} ${tile.x}`)
        assert.deepEqual(features.flatMap(shapeProblems), [])
      }
    }
    const { features } = await shapesOf([wkb('Polygon', [square(175, 10, 10)])])
    assert.deepEqual(features[0]?.paths.map((ring) => Math.max(...ring.map(([x]) => x))).toSorted(), [
      4096 + 57,
      57,
    ])
    const utm = { crs: 'EPSG:32660', reprojector: await createReprojector('EPSG:32660', 'EPSG:3857') }
    const across = wkb('Polygon', [square(800_000, 1_200_000, 400_000)])
    for (const tile of [east, west]) {
      const shown = await shapesOf([across], tile, utm)
      const xs = shown.features[0]?.paths.flat().map(([x]) => x) ?? []
      assert.ok(xs.length > 0 && Math.max(...xs) - Math.min(...xs) < 500, `${tile.x}: ${xs}`)
    }
  })

  it('shows polygons at the poles, whatever their CRS', async () => {
    const south = wkb('Polygon', [
      [
        [-180, -90],
        [180, -90],
        [180, -70],
        [-180, -70],
        [-180, -90],
      ],
    ])
    const { features, counts } = await shapesOf([south])
    assert.deepEqual([counts.drawn, counts.withoutImage], [1, 0])
    assert.deepEqual(features.flatMap(shapeProblems), [])
    const ys = features[0]?.paths.flat().map(([, y]) => y) ?? []
    assert.equal(Math.max(...ys), 4160)
    const polar = { crs: 'EPSG:3031', reprojector: await createReprojector('EPSG:3031', 'EPSG:3857') }
    const round = wkb('Polygon', [square(-2_000_000, -2_000_000, 4_000_000)])
    const shown = await shapesOf([round], world, polar)
    assert.equal(shown.features[0]?.paths.length, 1)
    const xs = shown.features[0]?.paths.flat().map(([x]) => x) ?? []
    assert.deepEqual([Math.min(...xs), Math.max(...xs)], [-64, 4160])
    const point = await shapesOf(
      [
        wkb('LineString', [
          [0, 0],
          [5, 5],
        ]),
      ],
      world,
      polar,
    )
    assert.deepEqual([point.counts.drawn, point.counts.withoutImage], [0, 1])
  })

  it('is the same for the same rows, and empty without any', async () => {
    const rows = [{ geometry: wkb('Polygon', [square(1, 1, 30)]), values: [] }]
    const first = await encodeRows(rows, { schema: flat, tile: world, ...crs })
    const second = await encodeRows(rows, { schema: flat, tile: world, ...crs })
    assert.deepEqual(first.bytes, second.bytes)
    const far = await encodeRows(rows, { schema: flat, tile: { z: 4, x: 0, y: 0 }, ...crs })
    assert.equal(far.bytes.length, 0)
    assert.deepEqual(first.counts.read, 1)
    const emptyPoint = Buffer.concat([
      Buffer.from([1, 1, 0, 0, 0]),
      Buffer.from(Float64Array.of(Number.NaN, Number.NaN).buffer),
    ])
    const empties = [wkb('Polygon', []), wkb('MultiPoint', []), emptyPoint]
    assert.deepEqual((await shapesOf(empties)).features, [])
  })

  it('can be decoded whatever the bytes of a geometry are', async () => {
    const bytesOf = (geometry: Uint8Array): FeatureBatch => ({
      schema: flat,
      rowCount: 1,
      columns: [],
      geometry: {
        offsets: Uint32Array.of(0, geometry.length),
        bytes: geometry,
        validity: Uint8Array.of(1),
        nullCount: 0,
        envelopes: Float64Array.of(-180, -90, 180, 90),
      },
      rowNumbers: Float64Array.of(1),
      rejects: [],
    })
    const ordinate = fc.oneof(
      fc.double({ min: -200, max: 200 }),
      fc.double(),
      fc.integer({ min: -3, max: 3 }),
    )
    const ring = fc.array(fc.tuple(ordinate, ordinate), { maxLength: 12 })
    const wild = fc
      .tuple(fc.constantFrom(3, 1003, 3003), fc.array(ring, { maxLength: 4 }))
      .map(([type, rings]) => polygonBytes(type, rings))
    const noise = fc
      .tuple(fc.integer({ min: 0, max: 20 }), fc.uint8Array({ maxLength: 90 }))
      .map(([type, rest]) => Uint8Array.from([1, type, 0, 0, 0, ...rest]))
    await fc.assert(
      fc.asyncProperty(fc.oneof(wild, noise, fc.uint8Array({ maxLength: 60 })), async (geometry) => {
        for (const tile of [world, { z: 3, x: 7, y: 4 }]) {
          const { bytes } = await encodeBatch(bytesOf(geometry), ['1'], { schema: flat, tile, ...crs })
          assert.deepEqual(decodeTile(bytes).flatMap(shapeProblems), [])
        }
      }),
      { numRuns: 1500, seed: 4 },
    )
  })
})

function collectionOf(parts: Uint8Array[]): Uint8Array {
  return Buffer.concat([new Uint8Array([1, 7, 0, 0, 0, parts.length, 0, 0, 0]), ...parts])
}

function polygonBytes(type: number, rings: [number, number][][]): Uint8Array {
  const dimensions = type === 3 ? 2 : type === 1003 ? 3 : 4
  const parts = [Buffer.from([1, type & 255, type >> 8, 0, 0, rings.length, 0, 0, 0])]
  for (const ring of rings) {
    const count = Buffer.alloc(4)
    count.writeUInt32LE(ring.length)
    const ordinates = Float64Array.from(ring.flatMap((at) => [...at, 1, 2].slice(0, dimensions)))
    parts.push(count, Buffer.from(ordinates.buffer))
  }
  return Buffer.concat(parts)
}
