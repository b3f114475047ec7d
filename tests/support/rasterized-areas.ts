import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { writeTile } from '../../src/stores/reading/write-tile.ts'
import type { VectorStore } from '../../src/stores/store.ts'
import { tileReadingOf } from '../../src/stores/tile-reading.ts'
import type { LayerGeneralization } from '../../src/tiles/generalize/layer-generalization.ts'
import { findLevels } from '../../src/tiles/generalize/layer-generalization.ts'
import { positionEnvelopesOf } from '../../src/tiles/generalize/position-envelopes.ts'
import { cellOf } from '../../src/tiles/generalize/tile-cells.ts'
import type { TileAddress, TileMatrixSetId } from '../../src/tiles/tile-matrix-sets.ts'
import { getTileMatrixSet, tileEnvelope } from '../../src/tiles/tile-matrix-sets.ts'
import { tileExtent } from '../../src/tiles/world.ts'
import { areaBounds } from './area-layers.ts'
import { rasterizedCounts } from './gdal-session.ts'
import type { DecodedFeature } from './tiles.ts'
import { decodeTile } from './tiles.ts'

const never = new AbortController().signal
const pixels = 4096
/** Converts longitude and latitude to metres of web mercator, or leaves degrees unchanged. */
const toSet: Record<TileMatrixSetId, (x: number, y: number) => [number, number]> = {
  WebMercatorQuad: (x, y) => [
    (x / 180) * 20_037_508.342789244,
    6_378_137 * Math.asinh(Math.tan((y * Math.PI) / 180)),
  ],
  WorldCRS84Quad: (x, y) => [x, y],
}

/**
 * Returns the number of pixels per class, from 0 on, that GDAL burns; where features overlap, the last one
 * counts.
 */
async function burn(
  features: readonly { kind: number; rings: readonly [number, number][][] }[],
  [minX, minY, maxX, maxY]: readonly [number, number, number, number],
): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'terrane-areas-'))
  try {
    const texts = features.map(({ kind, rings }) => {
      const coordinates = rings.map((ring) => [...ring, ring[0]])
      const geometry = { type: 'Polygon', coordinates }
      return JSON.stringify({ type: 'Feature', properties: { kind: kind + 1 }, geometry })
    })
    const source = join(folder, 'areas.geojson')
    await writeFile(source, `{"type":"FeatureCollection","features":[${texts.join()}]}`)
    const box = [minX, minY, maxX, maxY].map(String)
    const counts = rasterizedCounts(source, [
      '-a',
      'kind',
      '-te',
      ...box,
      '-ts',
      String(pixels),
      String(pixels),
    ])
    return counts.slice(1, counts.findLastIndex((count) => count > 0) + 1)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The share of `areaBounds` that each class covers, in the coordinates of a set. */
export async function trueShares(
  features: readonly { kind: number; rings: readonly [number, number][][] }[],
  set: TileMatrixSetId,
): Promise<number[]> {
  const move = toSet[set]
  const moved = features.map(({ kind, rings }) => ({
    kind,
    rings: rings.map((ring) => ring.slice(0, -1).map(([x, y]) => move(x, y))),
  }))
  const { west, south, east, north } = areaBounds
  const counts = await burn(moved, [...move(west, south), ...move(east, north)])
  return counts.map((count) => count / pixels ** 2)
}

/** Returns how the table `layer` of a store is generalized. */
export async function thinningOfStore(store: VectorStore, crs: string): Promise<LayerGeneralization> {
  const sides: number[] = []
  for await (const page of tileReadingOf(store).readEnvelopes({ table: 'layer' }, never))
    for (const side of page.envelopes) sides.push(side)
  const places = (await positionEnvelopesOf(crs))(Float64Array.from(sides), { hasAreas: true })
  return findLevels(places, undefined, 'all').thinning
}

/** Creates one tile of the table `layer`, with an attribute `kind`. */
export async function areaTile(
  store: VectorStore,
  { cells, areas = 'all' }: LayerGeneralization,
  { set, tile, crs }: { set: TileMatrixSetId; tile: TileAddress; crs: string },
) {
  const cell = cellOf({ cells }, set, tile.z)
  const thinning = cell === undefined ? { areas } : { areas, cell }
  const made = await writeTile(store, { table: 'layer', name: 'rows', crs, thinning }, { set, tile }, never)
  const bytes = made.bytes.length === 0 ? made.bytes : gunzipSync(made.bytes)
  return { bytes, counts: made.counts, features: decodeTile(bytes) }
}

/** The tiles of a zoom that `areaBounds` touches. */
export function areaTiles(set: TileMatrixSetId, z: number): TileAddress[] {
  const { west, south, east, north } = areaBounds
  const { minX, minY, maxX, maxY } = tileEnvelope(getTileMatrixSet(set), { z, x: 0, y: 0 })
  const column = (x: number): number => Math.floor((x - minX) / (maxX - minX))
  const row = (y: number): number => Math.floor((maxY - y) / (maxY - minY))
  const [[left, bottom], [right, top]] = [toSet[set](west, south), toSet[set](east, north)]
  const tiles: TileAddress[] = []
  for (let y = row(top); y <= row(bottom); y += 1)
    for (let x = column(left); x <= column(right); x += 1) tiles.push({ z, x, y })
  return tiles
}

/** Units of the tiles of a zoom in `areaBounds`. */
export function groundUnits(set: TileMatrixSetId, z: number): number {
  const { west, south, east, north } = areaBounds
  const [[left, bottom], [right, top]] = [toSet[set](west, south), toSet[set](east, north)]
  const { minX, maxX } = tileEnvelope(getTileMatrixSet(set), { z, x: 0, y: 0 })
  return (right - left) * (top - bottom) * (tileExtent / (maxX - minX)) ** 2
}

/** The share of `areaBounds` that each class covers in all tiles of a zoom. */
export async function drawnShares(
  tiles: readonly DecodedFeature[][],
  set: TileMatrixSetId,
  z: number,
): Promise<number[]> {
  const sums: number[] = []
  for (const features of tiles) {
    const shapes = features.map(({ properties, paths }) => ({
      kind: Number(properties['kind']),
      rings: paths,
    }))
    const counts = await burn(shapes, [0, 0, tileExtent, tileExtent])
    counts.forEach((count, kind) => {
      sums[kind] = (sums[kind] ?? 0) + count
    })
  }
  const ground = groundUnits(set, z)
  return Array.from(sums, (sum) => (sum ?? 0) / ground)
}
