import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import type { FeatureBatch } from '../../src/geo/batch.ts'
import type { Reprojector } from '../../src/geo/crs-projector.ts'
import type { Schema } from '../../src/geo/schema.ts'
import type { TileCounts } from '../../src/tiles/encode-tile.ts'
import { createTileEncoder } from '../../src/tiles/encode-tile.ts'
import type { TileLimits } from '../../src/tiles/tile-features.ts'
import type { TileAddress, TileMatrixSetId } from '../../src/tiles/tile-matrix-sets.ts'
import { getTileMatrixSet } from '../../src/tiles/tile-matrix-sets.ts'
import type { Row } from './batches.ts'
import { batchesOf } from './batches.ts'

export interface EncodedLayer {
  bytes: Uint8Array
  counts: TileCounts
}

export interface EncodeOptions {
  schema: Schema
  tile: TileAddress
  id?: TileMatrixSetId
  crs?: string
  reprojector?: Reprojector
  ids?: string[]
  limits?: Partial<TileLimits>
  /** By which polygons are sampled. */
  areaCell?: number
}

/** A tile of the rows, with ids from 1 where none are given. */
export async function encodeRows(
  rows: Row[],
  { schema, tile, id = 'WebMercatorQuad', ids, ...rest }: EncodeOptions,
): Promise<EncodedLayer> {
  const encoder = createTileEncoder({ name: 'rows', schema, set: getTileMatrixSet(id), tile, ...rest })
  let before = 0
  for await (const batch of batchesOf(schema, rows)) {
    const own = Array.from(
      { length: batch.rowCount },
      (_, row) => ids?.[before + row] ?? String(before + row + 1),
    )
    before += batch.rowCount
    await encoder.add({ batch, ids: own })
  }
  return encoder.finish()
}

/** The same for a batch that is there already. */
export async function encodeBatch(
  batch: FeatureBatch,
  ids: string[],
  { tile, id = 'WebMercatorQuad', ...rest }: EncodeOptions,
): Promise<EncodedLayer> {
  const encoder = createTileEncoder({ name: 'rows', set: getTileMatrixSet(id), tile, ...rest })
  await encoder.add({ batch, ids })
  return encoder.finish()
}

export interface DecodedFeature {
  id: number | undefined
  type: 'Point' | 'LineString' | 'Polygon'
  properties: Record<string, unknown>
  /** Rings without the position that repeats the first. */
  paths: [number, number][][]
}

const types = ['Unknown', 'Point', 'LineString', 'Polygon']

/** Returns the features that `@mapbox/vector-tile` reads from the only layer of a tile. */
export function decodeTile(bytes: Uint8Array, name = 'rows'): DecodedFeature[] {
  const layer = new VectorTile(new PbfReader(bytes)).layers[name]
  if (layer === undefined) return []
  return Array.from({ length: layer.length }, (_, index) => {
    const feature = layer.feature(index)
    const isPolygon = feature.type === 3
    const paths = feature.loadGeometry().map((path) => path.map(({ x, y }): [number, number] => [x, y]))
    return {
      id: feature.id,
      type: (types[feature.type] ?? 'Unknown') as DecodedFeature['type'],
      properties: { ...feature.properties },
      paths: isPolygon ? paths.map((path) => path.slice(0, -1)) : paths,
    }
  })
}

/** Twice the area by the surveyor's formula: above 0 for outer rings of a tile. */
function ringArea(ring: [number, number][]): number {
  return ring.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = ring[(at + 1) % ring.length] as [number, number]
    return sum + x * nextY - nextX * y
  }, 0)
}

/** Returns the faults of a feature by sections 4.3.3 and 4.3.4 of Mapbox Vector Tile 2.1. */
export function shapeProblems({ type, paths }: DecodedFeature): string[] {
  const problems: string[] = []
  if (paths.length === 0) problems.push('no geometry')
  for (const [index, path] of paths.entries()) {
    const repeats = path.some(([x, y], at) => at > 0 && path[at - 1]?.[0] === x && path[at - 1]?.[1] === y)
    if (type !== 'Point' && repeats) problems.push(`path ${index} repeats a position`)
    if (type === 'LineString' && path.length < 2) problems.push(`line ${index} has ${path.length} positions`)
    if (path.some(([x, y]) => x < -64 || y < -64 || x > 4160 || y > 4160)) problems.push('beyond the buffer')
    if (type !== 'Polygon') continue
    if (path.length < 3) problems.push(`ring ${index} has ${path.length} positions`)
    if (ringArea(path) === 0) problems.push(`ring ${index} has no area`)
    if (index === 0 && ringArea(path) < 0) problems.push('the first ring is a hole')
    const [first, last] = [path[0], path.at(-1)]
    if (first?.[0] === last?.[0] && first?.[1] === last?.[1]) problems.push(`ring ${index} repeats its first`)
  }
  return problems
}

/** A feature as WKT. */
export function shapeText({ type, paths }: DecodedFeature): string {
  if (type === 'Polygon') return polygonText(paths)
  const texts = paths.map((path) => path.map(([x, y]) => `${x} ${y}`).join())
  if (type === 'Point') return `MULTIPOINT(${texts.join()})`
  return `MULTILINESTRING(${texts.map((text) => `(${text})`).join()})`
}

/** Polygons as WKT, each outer ring with the holes behind it. */
function polygonText(paths: [number, number][][]): string {
  const ring = (path: [number, number][]): string =>
    `(${[...path, path[0] as [number, number]].map(([x, y]) => `${x} ${y}`).join()})`
  const polygons: string[][] = []
  for (const path of paths) {
    if (ringArea(path) > 0) polygons.push([ring(path)])
    else polygons.at(-1)?.push(ring(path))
  }
  return `MULTIPOLYGON(${polygons.map((rings) => `(${rings.join()})`).join()})`
}
