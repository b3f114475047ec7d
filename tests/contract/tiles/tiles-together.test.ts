import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../bench/random.ts'
import { writeTile, writeTiles } from '../../../src/stores/reading/write-tile.ts'
import { stores } from '../../../src/stores/registry.ts'
import type { TileAddress, TileMatrixSetId } from '../../../src/tiles/tile-matrix-sets.ts'
import type { Row } from '../../support/batches.ts'
import { schemaOf, wkb } from '../../support/batches.ts'
import { startStore } from '../../support/store-starts.ts'
import { never, withStore } from '../store-session.ts'

/**
 * More points than one tile draws, around 10.5° east, 50.5° north; others all over the world and beyond 180°.
 */
function sampleRows(): Row[] {
  const random = seededRandom(11)
  const crowd = Array.from({ length: 21_000 }, (_, n) => ({
    geometry: wkb('Point', [10 + random(), 50 + random()]),
    values: [n, `point ${n % 9}`, random()],
  }))
  const others = Array.from({ length: 1200 }, (_, n) => {
    const [x, y, size] = [random() * 380 - 190, random() * 170 - 85, 2 ** (random() * 10 - 6)]
    const ring = [
      [x, y],
      [x + size, y],
      [x + size / 2, y + size],
      [x, y],
    ]
    return {
      geometry: n % 2 === 0 ? wkb('Polygon', [ring]) : wkb('LineString', ring),
      values: [n, n % 5 === 0 ? null : `shape ${n % 31}`, size],
    }
  })
  const near = Array.from({ length: 3000 }, (_, n) => {
    const [x, y, size] = [10 + random() / 5, 50 + random() / 5, 0.003 * random()]
    const ring = [
      [x, y],
      [x + size, y],
      [x, y + size],
      [x, y],
    ]
    return { geometry: wkb('Polygon', [ring]), values: [n, `near ${n % 13}`, size] }
  })
  return [...crowd, ...others, ...near]
}

const schema = schemaOf({ n: 'int32', name: 'text', tiles: 'float64' }, 'Geometry')

function around(z: number, x: number, y: number, columns: number, rows: number): TileAddress[] {
  return Array.from({ length: columns * rows }, (_, at) => ({
    z,
    x: x + (at % columns),
    y: y + Math.floor(at / columns),
  }))
}

interface Group {
  set?: TileMatrixSetId
  tiles: TileAddress[]
  attributes?: string[]
  thinning?: object
  crs?: string
}

const groups: Record<string, Group> = {
  neighbours: { tiles: around(14, 8650, 5550, 4, 2) },
  'far from each other, some of them empty': {
    tiles: [
      { z: 12, x: 2163, y: 1388 },
      { z: 12, x: 0, y: 0 },
      { z: 12, x: 3000, y: 2000 },
      { z: 12, x: 2164, y: 1388 },
    ],
  },
  'one of them twice': {
    tiles: [
      { z: 13, x: 4325, y: 2775 },
      { z: 13, x: 4325, y: 2775 },
    ],
  },
  'at both ends of the world': { tiles: around(2, 0, 0, 4, 2) },
  'in longitude and latitude': { set: 'WorldCRS84Quad', tiles: around(10, 1082, 227, 2, 3) },
  'of some attributes': { tiles: around(13, 4325, 2774, 2, 2), attributes: ['tiles'] },
  'of none': { tiles: around(13, 4325, 2774, 2, 2), attributes: [] },
  'one of which is beyond its limit': { tiles: around(6, 33, 21, 2, 2), thinning: {} },
  'that are thinned': { tiles: around(3, 4, 2, 2, 2), thinning: { cell: 16 } },
  'in a CRS that only a program knows': { tiles: around(9, 270, 173, 2, 1), crs: 'EPSG:27700' },
  'of more than are read at once': { tiles: around(13, 4324, 2773, 3, 4) },
}

describe('tiles that are made together', () => {
  for (const description of Object.values(stores).filter(({ can }) => can.takesLoads)) {
    it(
      `have the bytes, counts and look of tiles made alone: ${description.type}`,
      withStore(
        () => startStore(description),
        async ({ store, fill }) => {
          await fill(schema, sampleRows())
          let drawn = 0
          for (const [
            name,
            { tiles, set = 'WebMercatorQuad', crs = 'EPSG:4326', attributes, ...other },
          ] of Object.entries(groups)) {
            const source = { table: 'layer', crs, name: 'layer', ...other }
            const requests = tiles.map((tile) => ({ set, tile, attributes }))
            const together = await writeTiles(store, source, requests, never)
            assert.equal(together.length, tiles.length)
            for (const [at, request] of requests.entries()) {
              const alone = await writeTile(store, source, request, never)
              const { seen, ...made } = together[at] ?? { bytes: undefined, counts: undefined }
              assert.deepEqual(
                made,
                { bytes: alone.bytes, counts: alone.counts },
                `${name} ${JSON.stringify(request.tile)}`,
              )
              if (alone.seen !== undefined) assert.equal(seen, alone.seen, name)
              drawn += alone.counts.drawn
            }
          }
          assert.ok(drawn > 50_000, `${drawn} features were drawn`)
          const set = 'WebMercatorQuad' as const
          const requests = around(9, 1, 1, 2, 1).map((tile) => ({ set, tile }))
          await assert.rejects(
            writeTiles(store, { table: 'nowhere', crs: 'EPSG:4326', name: 'l' }, requests, never),
            { kind: 'notFound' },
          )
          const gone = AbortSignal.abort(new Error('left'))
          await assert.rejects(
            writeTiles(store, { table: 'layer', crs: 'EPSG:4326', name: 'l' }, requests, gone),
            /left/,
          )
        },
      ),
    )
  }
})
