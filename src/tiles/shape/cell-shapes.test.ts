import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { schemaOf, wkb } from '../../../tests/support/batches.ts'
import type { DecodedFeature } from '../../../tests/support/tiles.ts'
import { decodeTile, encodeRows, shapeProblems } from '../../../tests/support/tiles.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import type { TileMatrixSetId } from '../tile-matrix-sets.ts'

const schema = schemaOf({}, 'Geometry')
const ways = {
  WebMercatorQuad: await createReprojector('EPSG:4326', 'EPSG:3857'),
  WorldCRS84Quad: await createReprojector('EPSG:4326', 'EPSG:4326'),
}

const square = (x: number, y: number, size: number): number[][] => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
  [x, y],
]

interface DrawnTile {
  id?: TileMatrixSetId
  z: number
  x: number
  y: number
  /** Number of halvings from the width of the tile to a cell. */
  halvings?: number
}

/** Cells of 64 units in a tile of a zoom, or others. */
async function drawn(geometries: Uint8Array[], { id = 'WebMercatorQuad', z, x, y, halvings = 6 }: DrawnTile) {
  const rows = geometries.map((geometry) => ({ geometry, values: [] }))
  const level = id === 'WebMercatorQuad' ? z : z + 1
  const { bytes, counts } = await encodeRows(rows, {
    schema,
    tile: { z, x, y },
    id,
    crs: 'EPSG:4326',
    reprojector: ways[id],
    areaCell: level + halvings,
  })
  const features = decodeTile(bytes)
  assert.deepEqual(features.flatMap(shapeProblems), [])
  const area = features
    .flatMap(({ paths }) => paths)
    .reduce(
      (sum, path) =>
        sum + path.reduce((of, [px, py], at) => of + cross([px, py], path[(at + 1) % path.length]), 0) / 2,
      0,
    )
  return { counts, features, area }
}

function cross([x, y]: [number, number], [nextX, nextY]: [number, number] = [0, 0]): number {
  return x * nextY - nextX * y
}

/** Returns id and corners of each feature, independent of where its rings start. */
function corners(features: DecodedFeature[]): string[] {
  return features.map(
    ({ id, paths }) =>
      `${id} ${paths
        .map((path) => path.map(String).sort().join(' '))
        .sort()
        .join()}`,
  )
}

/** Adjacent squares on a part of a tile. */
const grid = (x: number, y: number, count: number, size: number): Uint8Array[] =>
  Array.from({ length: count * count }, (_, at) =>
    wkb('Polygon', [square(x + (at % count) * size, y + Math.floor(at / count) * size, size)]),
  )

describe('small polygons as cells', () => {
  for (const id of ['WebMercatorQuad', 'WorldCRS84Quad'] as const) {
    it(`cover what they cover together, each cell once, by ${id}`, async () => {
      const tile = id === 'WebMercatorQuad' ? { id, z: 4, x: 8, y: 5 } : { id, z: 3, x: 8, y: 1 }
      const squares = grid(1, 46, 60, 0.15)
      const { area, counts, features } = await drawn(squares, tile)
      const whole = await drawn([wkb('Polygon', [square(1, 46, 9)])], tile)
      assert.ok(Math.abs(area / whole.area - 1) < 0.05, `${area} of ${whole.area}`)
      assert.equal(counts.enlarged, features.length)
      assert.equal(counts.thinned + counts.drawn, squares.length)
    })
  }

  it('have the same cells on both sides of the antimeridian, wherever their coordinates are', async () => {
    const [east, west] = [grid(178, 10, 40, 0.1), grid(-182, 10, 40, 0.1)]
    for (const tile of [
      { z: 3, x: 7, y: 3 },
      { z: 3, x: 0, y: 3 },
    ]) {
      const [one, other] = [await drawn(east, tile), await drawn(west, tile)]
      assert.ok(one.features.length > 5)
      assert.deepEqual(corners(other.features), corners(one.features))
    }
  })

  it('take part in multipolygons, and fill the holes of large ones', async () => {
    const tile = { z: 4, x: 8, y: 5 }
    const small = Array.from({ length: 400 }, (_, at) =>
      square(2 + (at % 20) * 0.4, 46 + Math.floor(at / 20) * 0.3, 0.2),
    )
    const large = square(1.5, 45.5, 9)
    const holed = await drawn([wkb('Polygon', [large, ...small.map((ring) => ring.toReversed())])], tile)
    const filled = await drawn(
      [
        wkb(
          'MultiPolygon',
          small.map((ring) => [ring]),
        ),
      ],
      tile,
    )
    const whole = await drawn([wkb('Polygon', [large])], tile)
    assert.ok(filled.area > 0 && filled.counts.enlarged === 1)
    assert.equal(holed.area + filled.area, whole.area)
    assert.deepEqual([holed.counts.enlarged, holed.counts.drawn], [0, 1])
  })

  it('leave lines and points of a mixed layer as they are', async () => {
    const line = wkb('LineString', [
      [2, 47],
      [2.001, 47.001],
    ])
    const { features, counts } = await drawn([line, wkb('Point', [3, 47])], { z: 4, x: 8, y: 5 })
    assert.deepEqual(features.map(({ type }) => type).sort(), ['LineString', 'Point'])
    assert.deepEqual([counts.thinned, counts.enlarged], [0, 0])
  })

  for (const id of ['WebMercatorQuad', 'WorldCRS84Quad'] as const) {
    it(`much smaller than a unit are drawn as the units they cover together, by ${id}`, async () => {
      const gapless = grid(1, 46, 40, 0.05)
      const tile = { id, z: 0, x: id === 'WebMercatorQuad' ? 0 : 1, y: 0, halvings: 15 }
      const whole = await drawn(gapless, tile)
      const unit = id === 'WebMercatorQuad' ? 360 / 4096 : 180 / 4096
      const truth = 4 / unit ** 2 / (id === 'WebMercatorQuad' ? Math.cos((47 * Math.PI) / 180) : 1)
      assert.ok(Math.abs(whole.area / truth - 1) < 0.05, `${whole.area} of ${truth}`)
      assert.equal(whole.counts.thinned + whole.counts.drawn, gapless.length)
      const sparse = gapless.filter((_, at) => at % 36 === 5)
      const { area, counts } = await drawn(sparse, tile)
      assert.ok(Math.abs(area / (truth / 36) - 1) < 0.1, `${area} of ${truth / 36}`)
      assert.equal(counts.thinned + counts.drawn, sparse.length)
    })
  }

  it('much smaller than a unit are drawn on the other side of the antimeridian too', async () => {
    const tile = { z: 0, x: 0, y: 0, halvings: 16 }
    const [east, west] = [
      await drawn(grid(180, 10, 20, 0.05), tile),
      await drawn(grid(-180, 10, 20, 0.05), tile),
    ]
    assert.ok(east.features.length > 5)
    assert.deepEqual(corners(east.features), corners(west.features))
  })

  it('are drawn or left out whatever their shape is', async () => {
    const [inner, flat] = [
      square(2, 47, 0.01),
      [
        [3, 48],
        [3.01, 48.01],
        [3, 48],
      ],
    ]
    const hostile = [
      wkb('Polygon', [inner, inner]),
      wkb('Polygon', [flat]),
      wkb('Polygon', [
        [
          [3, 48],
          [3, 48],
          [3, 48],
          [3, 48],
        ],
      ]),
      wkb('Polygon', [
        [
          [3, 48],
          [4, 48.000001],
          [3, 48.000002],
          [3, 48],
        ],
      ]),
      wkb('Polygon', [square(-180, -85, 0), square(2, 47, 0.1)]),
      wkb('Polygon', [
        [
          [-180, -90],
          [180, -90],
          [180, 90],
          [-180, 90],
          [-180, -90],
        ],
      ]),
      wkb('Polygon', [square(1e9, 40, 0.001)]),
      wkb('Polygon', [square(3e12, 40, 0.001)]),
      wkb('Polygon', []),
      wkb('MultiPolygon', []),
    ]
    for (const id of ['WebMercatorQuad', 'WorldCRS84Quad'] as const)
      for (const halvings of [6, 12, 18]) {
        const { counts, features } = await drawn(hostile, { id, z: 0, x: 0, y: 0, halvings })
        assert.equal(counts.read, hostile.length)
        assert.ok(features.some(({ id: row }) => row === 6))
        assert.ok(counts.drawn + counts.thinned + counts.withoutImage + counts.invalid <= hostile.length)
      }
  })
})
