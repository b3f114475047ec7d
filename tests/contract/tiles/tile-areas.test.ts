import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stores } from '../../../src/stores/registry.ts'
import type { TileAddress, TileMatrixSetId } from '../../../src/tiles/tile-matrix-sets.ts'
import { areaFeatures } from '../../support/area-layers.ts'
import { schemaOf, wkb } from '../../support/batches.ts'
import {
  areaTile,
  areaTiles,
  drawnShares,
  thinningOfStore,
  trueShares,
} from '../../support/rasterized-areas.ts'
import { startStore } from '../../support/store-starts.ts'
import type { DecodedFeature } from '../../support/tiles.ts'
import { shapeProblems } from '../../support/tiles.ts'
import { withStore } from '../store-session.ts'

const crs = 'EPSG:4326'
const schema = schemaOf({ kind: 'int32' }, 'Polygon')
const parcels = areaFeatures('parcels', 13_000)
const rows = parcels.map(({ kind, rings }) => ({ geometry: wkb('Polygon', rings), values: [kind] }))
const zooms: [TileMatrixSetId, number][] = [
  ['WebMercatorQuad', 3],
  ['WebMercatorQuad', 6],
  ['WorldCRS84Quad', 5],
]

function sum(shares: number[]): number {
  return shares.reduce((total, share) => total + share, 0)
}

/** Positions of a feature in another tile of its zoom. */
function moved({ id, paths }: DecodedFeature, dy: number): string[] {
  return paths.map((path) => `${id} ${path.map(([x, y]) => `${x} ${y + dy}`).join()}`)
}

/** Returns the parts of a tile's paths within a strip along an edge that two tiles share. */
function stripOf(features: DecodedFeature[], dy: number, from: number, to: number): string[] {
  return features
    .filter(({ paths }) => paths.flat().every(([, y]) => y + dy >= from && y + dy <= to))
    .flatMap((feature) => moved(feature, dy))
    .sort()
}

describe('tiles of a dense layer of polygons', { concurrency: false }, () => {
  const made = new Map<string, string[]>()
  for (const description of Object.values(stores).filter(({ can }) => can.takesLoads)) {
    it(
      `cover the ground that the polygons cover, class by class: ${description.type}`,
      withStore(
        () => startStore(description),
        async ({ store, fill }) => {
          await fill(schema, rows)
          const thinning = await thinningOfStore(store, crs)
          const bytes: string[] = []
          for (const [set, z] of zooms) {
            const tiles = []
            for (const tile of areaTiles(set, z))
              tiles.push(await areaTile(store, thinning, { set, tile, crs }))
            bytes.push(...tiles.map((one) => Buffer.from(one.bytes).toString('base64')))
            assert.ok(tiles.some(({ counts }) => counts.thinned > 1000 && counts.enlarged > 1000))
            assert.deepEqual(
              tiles.flatMap(({ features }) => features.flatMap(shapeProblems)),
              [],
            )
            if (made.size > 0) continue
            const truth = await trueShares(parcels, set)
            const drawn = await drawnShares(
              tiles.map(({ features }) => features),
              set,
              z,
            )
            assert.ok(Math.abs(sum(drawn) / sum(truth) - 1) < 0.03, `${set} ${z}: ${drawn} of ${truth}`)
            for (const [kind, share] of truth.entries())
              assert.ok(Math.abs((drawn[kind] ?? 0) / share - 1) < 0.1, `${set} ${z}: ${drawn} of ${truth}`)
          }
          made.set(description.type, bytes)
        },
      ),
    )
  }

  it('have the same bytes from each store', () => {
    const [first, ...others] = made.values()
    assert.ok(others.length > 0)
    for (const other of others) assert.deepEqual(other, first)
  })

  const [first] = Object.values(stores).filter(({ can }) => can.takesLoads)
  assert.ok(first !== undefined)
  it(
    'have the same cells on both sides of an edge, and count each polygon that is left out once',
    withStore(
      () => startStore(first),
      async ({ store, fill }) => {
        await fill(schema, rows)
        const thinning = await thinningOfStore(store, crs)
        const set = 'WebMercatorQuad'
        const ask = (tile: TileAddress) => areaTile(store, thinning, { set, tile, crs })
        const [upper, lower] = [await ask({ z: 6, x: 33, y: 21 }), await ask({ z: 6, x: 33, y: 22 })]
        for (const [from, to] of [
          [-63, 0],
          [0, 63],
        ] as const) {
          const strip = stripOf(upper.features, -4096, from, to)
          assert.ok(strip.length > 10, `${strip.length} in the strip`)
          assert.deepEqual(strip, stripOf(lower.features, 0, from, to))
        }
        let whole = 0
        const shown = new Set<number | undefined>()
        for (const tile of areaTiles(set, 6)) {
          const { counts, features } = await ask(tile)
          whole += counts.thinned
          for (const { id } of features) shown.add(id)
        }
        assert.equal(whole + shown.size, rows.length)
      },
    ),
  )
})
