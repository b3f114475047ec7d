import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stores } from '../../../src/stores/registry.ts'
import { levelOf } from '../../../src/tiles/generalize/tile-cells.ts'
import type { TileMatrixSetId } from '../../../src/tiles/tile-matrix-sets.ts'
import { withStore } from '../../contract/store-session.ts'
import type { AreaKind } from '../../support/area-layers.ts'
import { areaFeatures, areaKinds } from '../../support/area-layers.ts'
import { schemaOf, wkb } from '../../support/batches.ts'
import {
  areaTile,
  areaTiles,
  drawnShares,
  groundUnits,
  thinningOfStore,
  trueShares,
} from '../../support/rasterized-areas.ts'
import { startStore } from '../../support/store-starts.ts'
import { shapeProblems } from '../../support/tiles.ts'

const crs = 'EPSG:4326'
const schema = schemaOf({ kind: 'int32' }, 'Polygon')
const counts: Record<AreaKind, number> = {
  parcels: 60_000,
  'land cover': 15_000,
  buildings: 60_000,
  islands: 40_000,
}
const zooms: [TileMatrixSetId, number][] = [
  ['WebMercatorQuad', 0],
  ['WebMercatorQuad', 1],
  ['WebMercatorQuad', 2],
  ['WebMercatorQuad', 5],
  ['WebMercatorQuad', 7],
  ['WebMercatorQuad', 8],
  ['WorldCRS84Quad', 1],
  ['WorldCRS84Quad', 5],
]
/** A tile draws whole units: with fewer, the nearest number of them may be further than a tenth from the truth. */
const fewUnits = 5
/** With so many cells the share of a class is within a tenth of the truth by five standard deviations. */
const manyCells = 2500

function sum(shares: number[]): number {
  return shares.reduce((total, share) => total + share, 0)
}

describe('areas of tiles beside a raster of GDAL', { concurrency: false }, () => {
  const takers = Object.values(stores).filter(({ can }) => can.takesLoads)
  for (const kind of areaKinds) {
    const features = areaFeatures(kind, counts[kind])
    const rows = features.map((one) => ({ geometry: wkb('Polygon', one.rings), values: [one.kind] }))
    const made: string[][] = []
    const truths = new Map<TileMatrixSetId, number[]>()
    const truthOf = async (set: TileMatrixSetId): Promise<number[]> => {
      const truth = truths.get(set) ?? (await trueShares(features, set))
      truths.set(set, truth)
      return truth
    }
    for (const description of takers) {
      it(
        `stay within a tenth of those of ${kind} at every zoom: ${description.type}`,
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
              assert.deepEqual(
                tiles.flatMap((one) => one.features.flatMap(shapeProblems)),
                [],
              )
              if (made.length > 0) continue
              const truth = await truthOf(set)
              const drawn = await drawnShares(
                tiles.map((one) => one.features),
                set,
                z,
              )
              const level = levelOf(set, z)
              const width = 2 ** (level + 12 - (thinning.cells[level] ?? level + 12))
              const cells = groundUnits(set, z) / width ** 2
              const text = `${set} ${z}: ${drawn} of ${truth}`
              if (sum(truth) * groundUnits(set, z) > fewUnits)
                assert.ok(Math.abs(sum(drawn) / sum(truth) - 1) < 0.1, text)
              for (const [one, share] of truth.entries())
                if (share * cells > manyCells) assert.ok(Math.abs((drawn[one] ?? 0) / share - 1) < 0.1, text)
            }
            made.push(bytes)
            if (made.length > 1) assert.deepEqual(made[1], made[0])
          },
        ),
      )
    }
  }
})
