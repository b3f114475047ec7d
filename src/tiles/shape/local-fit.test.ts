import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReprojector } from '../../geo/crs-reproject.ts'
import { tableBoxes } from '../table-boxes.ts'
import type { TileAddress } from '../tile-matrix-sets.ts'
import { getTileMatrixSet, tileEnvelope } from '../tile-matrix-sets.ts'
import { bicubic, fitPlace } from './local-fit.ts'
import { Paths } from './paths.ts'
import { createPlacer } from './placer.ts'

const set = getTileMatrixSet('WebMercatorQuad')

/** Returns the tile that contains a location in degrees. */
function tileAt(longitude: number, latitude: number, z: number): TileAddress {
  const y = Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI
  return { z, x: Math.floor(((longitude + 180) / 360) * 2 ** z), y: Math.floor(((1 - y) / 2) * 2 ** z) }
}

/** Returns how far positions in and around the tile deviate, in units, and how many are identical. */
async function compare(crs: string, tile: TileAddress): Promise<{ off: number; same: number }> {
  const reprojector = await createReprojector(crs, set.srs)
  const toTable = await createReprojector(set.srs, crs)
  const [box] = await tableBoxes({ set, box: tileEnvelope(set, tile), crs, toTable })
  assert.ok(box !== undefined)
  const [fitted, exact] = [{ box }, {}].map((how) => createPlacer({ set, tile, crs, reprojector, ...how }))
  const steps = 41
  const [xs, ys] = [new Float64Array(steps ** 2), new Float64Array(steps ** 2)]
  for (let at = 0; at < xs.length; at += 1) {
    xs[at] = box.minX + (box.maxX - box.minX) * (((at % steps) * 2) / (steps - 1) - 0.5)
    ys[at] = box.minY + (box.maxY - box.minY) * ((Math.floor(at / steps) * 2) / (steps - 1) - 0.5)
  }
  const [x2, y2] = [xs.slice(), ys.slice()]
  fitted?.move(xs, ys, 0, xs.length)
  exact?.move(x2, y2, 0, x2.length)
  let [off, same] = [0, 0]
  for (let at = 0; at < xs.length; at += 1) {
    const here = Math.max(
      Math.abs((xs[at] as number) - (x2[at] as number)),
      Math.abs((ys[at] as number) - (y2[at] as number)),
    )
    off = Math.max(off, here)
    if (here === 0) same += 1
  }
  return { off, same }
}

/**
 * CRSs with a location in their area of use: cylindrical, conic and azimuthal, normal and transverse, in
 * metres, feet and degrees.
 */
const systems: [crs: string, longitude: number, latitude: number][] = [
  ['EPSG:25832', 9.5, 51],
  ['EPSG:2154', 3, 46.5],
  ['EPSG:3035', 25, 60],
  ['EPSG:3067', 27, 69],
  ['EPSG:32760', 178.9, -43],
  ['EPSG:5070', -96, 38],
  ['EPSG:2263', -74, 40.7],
  ['EPSG:3031', 45, -75],
  ['EPSG:3413', -45, 80],
  ['EPSG:3395', 60, 5],
  ['EPSG:4258', 12, 55],
  ['EPSG:6668', 140, 36],
]

describe('a way to a tile by polynomials', () => {
  it('is off by less than rounding can show, in every CRS and zoom, and beyond the tile', async () => {
    let fitted = 0
    for (const [crs, longitude, latitude] of systems) {
      for (const z of [9, 11, 12, 14, 16, 19, 22]) {
        const { off, same } = await compare(crs, tileAt(longitude, latitude, z))
        assert.ok(off < 1e-4, `${crs} at zoom ${z}: ${off} units`)
        if (same < 41 ** 2 / 2) fitted += 1
      }
    }
    assert.ok(fitted > systems.length * 4, `${fitted} were fitted`)
  })

  it('is not taken above the zooms that it is for, and where places have no image', async () => {
    const { same } = await compare('EPSG:25832', tileAt(9.5, 51, 8))
    assert.equal(same, 41 ** 2)
    assert.equal(
      fitPlace({ minX: 0, minY: 0, maxX: 1, maxY: 1 }, (place) => {
        if (place.x > 0.5) place.y = Number.NaN
      }),
      undefined,
    )
    assert.equal(
      fitPlace({ minX: 0, minY: 0, maxX: 9, maxY: 9 }, (place) => {
        place.x = Math.abs(place.x - 4) * 10
      }),
      undefined,
    )
    assert.equal(
      fitPlace({ minX: 3, minY: 0, maxX: 3, maxY: 9 }, () => undefined),
      undefined,
    )
  })

  it('meets cubic functions to the last digits', () => {
    const fit = fitPlace({ minX: -1, minY: -1, maxX: 1, maxY: 1 }, (place) => {
      const { x, y } = place
      place.x = 1 + 2 * x - 3 * x ** 3 + x * y ** 2
      place.y = y ** 3 - x ** 2 * y + 7
    })
    assert.ok(fit !== undefined)
    assert.ok(Math.abs(bicubic(fit.x, 0.3, -0.6) - (1 + 0.6 - 0.081 + 0.3 * 0.36)) < 1e-12)
    assert.ok(Math.abs(bicubic(fit.y, 0.3, -0.6) - (-0.216 + 0.054 + 7)) < 1e-12)
  })

  it('leads to the same place by WKB as by coordinates', async () => {
    const [crs, tile] = ['EPSG:25832', tileAt(9.5, 51, 14)]
    const reprojector = await createReprojector(crs, set.srs)
    const toTable = await createReprojector(set.srs, crs)
    const [box] = await tableBoxes({ set, box: tileEnvelope(set, tile), crs, toTable })
    const placer = createPlacer({ set, tile, crs, reprojector, box })
    const position = Float64Array.of(((box?.minX ?? 0) + (box?.maxX ?? 0)) / 2, box?.minY ?? 0)
    const paths = new Paths()
    placer.read(new DataView(position.buffer), 0, 1, 16, paths)
    const [xs, ys] = [position.slice(0, 1), position.slice(1)]
    placer.move(xs, ys, 0, 1)
    assert.deepEqual([paths.xs[0], paths.ys[0]], [xs[0], ys[0]])
  })
})
