/**
 * Builds src/geo/data/countries.bin, the countries of the sample in coarse outlines.
 * Usage: node scripts/build-countries.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'

const source = new URL('../sample/natural-earth/countries.geojson', import.meta.url)
const target = new URL('../src/geo/data/countries.bin', import.meta.url)
/** Maximum deviation of an outline in degrees. */
const tolerance = 0.05
const steps = 100

type Position = [number, number]

interface Country {
  properties: Record<string, string | null>
  geometry:
    | { type: 'Polygon'; coordinates: Position[][] }
    | { type: 'MultiPolygon'; coordinates: Position[][][] }
}

/** Distance of a point from the segment between two others. */
function distance([x, y]: Position, [x1, y1]: Position, [x2, y2]: Position): number {
  const dx = x2 - x1
  const dy = y2 - y1
  const length = dx * dx + dy * dy
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / length))
  return Math.hypot(x - x1 - share * dx, y - y1 - share * dy)
}

/** Simplifies a line by the Douglas-Peucker algorithm. */
function simplify(points: Position[]): Position[] {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined || points.length < 3) return points
  let farthest = 0
  let at = 0
  points.forEach((point, index) => {
    const off = distance(point, first, last)
    if (off > farthest) {
      farthest = off
      at = index
    }
  })
  if (farthest <= tolerance) return [first, last]
  return [...simplify(points.slice(0, at + 1)).slice(0, -1), ...simplify(points.slice(at))]
}

/** Encodes a closed ring as differences in hundredths of a degree; undefined if no point is left. */
function pack(ring: Position[]): number[] | undefined {
  const half = Math.floor(ring.length / 2)
  const coarse = [...simplify(ring.slice(0, half + 1)).slice(0, -1), ...simplify(ring.slice(half))]
  const grid = coarse.map(([x, y]): Position => [Math.round(x * steps), Math.round(y * steps)])
  if (grid.length < 4) {
    const xs = ring.map(([x]) => x * steps)
    const ys = ring.map(([, y]) => y * steps)
    const [west, south] = [Math.floor(Math.min(...xs)), Math.floor(Math.min(...ys))]
    const [east, north] = [Math.ceil(Math.max(...xs)), Math.ceil(Math.max(...ys))]
    return pack4(west, south, east, north)
  }
  let [px, py] = [0, 0]
  return grid.slice(0, -1).flatMap(([x, y]) => {
    const step = [x - px, y - py]
    ;[px, py] = [x, y]
    return step
  })
}

function pack4(west: number, south: number, east: number, north: number): number[] {
  return [west, south, east - west, 0, 0, north - south, west - east, 0]
}

const { features } = JSON.parse(readFileSync(source, 'utf8')) as { features: Country[] }
const lines = features.map(({ properties, geometry }) => {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
  const rings = polygons.map(([outer = []]) => pack(outer))
  const { NAME_EN, NAME, NAME_LONG, ISO_A2_EH, ISO_A3_EH } = properties
  const named = Object.keys(properties).filter((key) => /^NAME_[A-Z]{2,3}$/.test(key) && key !== 'NAME_LEN')
  const names = [NAME_EN, NAME, NAME_LONG, ISO_A2_EH, ISO_A3_EH, ...named.map((key) => properties[key])]
  return JSON.stringify([[...new Set(names.filter((name) => name && name !== '-99'))], rings])
})
const text = Buffer.from(lines.join('\n'))
writeFileSync(target, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
console.log(`${lines.length} countries, ${text.length} bytes of text`)
