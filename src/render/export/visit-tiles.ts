import type { Tile } from '../../stores/index.ts'
import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet, tileEnvelope } from '../../tiles/tile-matrix-sets.ts'
import { tileAlong } from './tile-ids.ts'

/** West, south, east, north in degrees. */
export type ExportBounds = [number, number, number, number]

/** Tiles to visit. */
export interface VisitTilesOptions {
  minZoom: number
  maxZoom: number
  bbox?: ExportBounds
}

/** Progress of a visit: tiles visited, and tiles known to follow in the same zoom. */
export interface VisitProgress {
  visited: number
  known: number
}

/** Number of tiles that are made concurrently. */
const width = 4
const earthRadius = 6_378_137
const degree = 180 / Math.PI

/**
 * Yields every WebMercatorQuad tile in which something is drawn, zoom by zoom, along the curve in each.
 * Descends from zoom 0: below a tile without rows nothing is visited.
 */
export async function* visitTiles(
  { minZoom, maxZoom, bbox }: VisitTilesOptions,
  make: (tile: TileAddress) => Promise<Tile>,
  onProgress: (progress: VisitProgress) => void,
): AsyncGenerator<{ tile: TileAddress; bytes: Uint8Array }> {
  let places = [0]
  let visited = 0
  for (let z = 0; z <= maxZoom && places.length > 0; z += 1) {
    const below: number[] = []
    const tiles = places.filter((along) => bbox === undefined || touches(tileAlong(z, along), bbox))
    const known = visited + tiles.length
    for await (const { along, made } of inOrder(tiles, z, make)) {
      visited += 1
      onProgress({ visited, known })
      if (!isBarren(made)) for (let quarter = 0; quarter < 4; quarter += 1) below.push(along * 4 + quarter)
      if (made.bytes.length > 0 && z >= minZoom) yield { tile: tileAlong(z, along), bytes: made.bytes }
    }
    places = below
  }
}

/** True if no row intersects the tile; features thinned here may be drawn at deeper zooms. */
function isBarren({ bytes, counts }: Tile): boolean {
  return bytes.length === 0 && counts.read === 0 && counts.thinned === 0
}

async function* inOrder(places: readonly number[], z: number, make: (tile: TileAddress) => Promise<Tile>) {
  const making: { along: number; made: Promise<Tile> }[] = []
  for (let next = 0; next < places.length || making.length > 0; ) {
    const along = places[next]
    if (along !== undefined && making.length < width) {
      const made = make(tileAlong(z, along))
      // Prevents an unhandled rejection if an earlier tile fails.
      made.catch(() => undefined)
      making.push({ along, made })
      next += 1
      continue
    }
    const first = making.shift()
    if (first !== undefined) yield { along: first.along, made: await first.made }
  }
}

function touches(tile: TileAddress, [west, south, east, north]: ExportBounds): boolean {
  const [left, bottom, right, top] = tileBounds(tile)
  const isInRows = bottom <= north && top >= south
  const isBeside = (from: number, to: number): boolean => left <= to && right >= from
  // A box whose west is greater than its east crosses the antimeridian.
  return isInRows && (west <= east ? isBeside(west, east) : isBeside(west, 180) || isBeside(-180, east))
}

/** Returns the bounds of a tile in degrees. */
export function tileBounds(tile: TileAddress): ExportBounds {
  const { minX, minY, maxX, maxY } = tileEnvelope(getTileMatrixSet('WebMercatorQuad'), tile)
  const latitude = (y: number): number => (2 * Math.atan(Math.exp(y / earthRadius)) - Math.PI / 2) * degree
  const longitude = (x: number): number => Math.max(-180, Math.min(180, (x / earthRadius) * degree))
  return [longitude(minX), latitude(minY), longitude(maxX), latitude(maxY)]
}
