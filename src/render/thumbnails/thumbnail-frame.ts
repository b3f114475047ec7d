import type { Envelope } from '../../geo/envelope.ts'
import { scaleOfZoom } from '../../styles/index.ts'
import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'

/** The tiles of a thumbnail and their positions in it. */
export interface ThumbnailFrame {
  /** Side of each tile in pixels; an integer, so that no gaps are visible. */
  size: number
  tiles: { tile: TileAddress; left: number; top: number }[]
  /** Scale denominator of the picture. */
  scale: number
}

/** Padding at each side as a share of the image. */
const padding = 0.07
/** Maximum width of a tile in pixels. */
const usualSize = 512
/** Minimum share of 360 degrees that a thumbnail shows, for a layer of one point: some hundred metres. */
const minSpan = 2 ** -15
/** Tolerance, as a share of a tile, for edges that coincide with tile edges. */
const tiny = 1e-6
const maxLatitude = 85.0511287798066

interface Box {
  west: number
  east: number
  north: number
  south: number
}

const down = (latitude: number): number => {
  const sine = Math.sin((Math.max(-maxLatitude, Math.min(maxLatitude, latitude)) * Math.PI) / 180)
  return 0.5 - Math.atanh(sine) / (2 * Math.PI)
}

/**
 * Returns a box in shares of the width and height of Web Mercator; the eastern edge exceeds 1 if the box
 * crosses the antimeridian.
 */
export function mercatorBox({ minX, minY, maxX, maxY }: Envelope): Box {
  return { west: (minX + 180) / 360, east: (maxX + 180) / 360, north: down(maxY), south: down(minY) }
}

/** Fits a box into the image: as large as possible, centered, in one piece. */
export function frameOf(
  { west, east, north, south }: Box,
  { width, height, maxZoom }: { width: number; height: number; maxZoom: number },
): ThumbnailFrame {
  const free = 1 - 2 * padding
  const cell = Math.max(
    Math.min(east - west, 1) / (width * free),
    (south - north) / (height * free),
    minSpan / width,
  )
  const z = Math.max(0, Math.min(maxZoom, Math.ceil(Math.log2(1 / (cell * usualSize)))))
  const count = 2 ** z
  const size = Math.max(1, Math.round(1 / (count * cell)))
  const middle = { x: ((west + east) / 2) * count, y: ((north + south) / 2) * count }
  const first = { x: Math.floor(middle.x), y: Math.floor(middle.y) }
  const left = Math.round(width / 2 - (middle.x - first.x) * size)
  const top = Math.round(height / 2 - (middle.y - first.y) * size)
  const [from, to] = [west * count, Math.max(east * count - tiny, west * count)]
  const tiles: ThumbnailFrame['tiles'] = []
  for (let y = first.y - Math.ceil(top / size); y < first.y + Math.ceil((height - top) / size); y += 1) {
    if (y < 0 || y >= count) continue
    for (let x = first.x - Math.ceil(left / size); x < first.x + Math.ceil((width - left) / size); x += 1) {
      // Shows each part of the layer once, even if the image is wider than the world.
      if (x + 1 <= from + (to > from ? tiny : 0) || x > to) continue
      const tile = { z, x: ((x % count) + count) % count, y }
      tiles.push({ tile, left: left + (x - first.x) * size, top: top + (y - first.y) * size })
    }
  }
  return { size, tiles, scale: scaleOfZoom(Math.log2((size * count) / usualSize)) }
}
