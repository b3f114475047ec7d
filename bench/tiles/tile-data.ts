import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { runProgram } from '../../src/core/process/process.ts'
import type { Envelope } from '../../src/geo/envelope.ts'
import { seededRandom } from '../random.ts'

export const tileDatasets = ['polygons', 'points', 'lines'] as const
export type TileDataset = (typeof tileDatasets)[number]

/** Rows of a whole run. */
export const fullTileRows: Record<TileDataset, number> = {
  polygons: 500_000,
  points: 1_000_000,
  lines: 20_000,
}

/**
 * Extents of the features. The density is that of parcels in a city, trees in a country and rivers in a
 * country.
 */
export const regions: Record<TileDataset, Envelope> = {
  polygons: { minX: 10, minY: 50, maxX: 11.27, maxY: 50.8 },
  points: { minX: 5.5, minY: 47, maxX: 16.75, maxY: 54 },
  lines: { minX: 5.5, minY: 47, maxX: 16.75, maxY: 54 },
}

const corners = 10
const linesInChunk = 500
const hourMilliseconds = 3600_000

/** Returns the file with this number of features in EPSG:4326, and creates it if it is missing; equal seeds give equal bytes. */
export async function tileDataFile(folder: string, dataset: TileDataset, rows: number): Promise<string> {
  const path = join(folder, `tile_${dataset}_${rows}.geojson`)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  await pipeline(Readable.from(chunks(dataset, rows)), createWriteStream(`${path}.part`))
  renameSync(`${path}.part`, path)
  return path
}

/** Returns the same features as a GeoPackage written by GDAL, with a layer named after the data. */
export async function tileGeoPackage(folder: string, dataset: TileDataset, rows: number): Promise<string> {
  const source = await tileDataFile(folder, dataset, rows)
  const path = source.replace(/geojson$/, 'gpkg')
  if (existsSync(path)) return path
  try {
    await runProgram('ogr2ogr', ['-f', 'GPKG', '-nln', dataset, path, source], {
      timeoutMs: hourMilliseconds,
    })
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
  return path
}

function* chunks(dataset: TileDataset, rows: number): Generator<string> {
  const random = seededRandom(20_261_122)
  yield '{"type":"FeatureCollection","features":[\n'
  let chunk: string[] = []
  for (let row = 0; row < rows; row += 1) {
    chunk.push(`${JSON.stringify(featureOf(dataset, row, random))}${row === rows - 1 ? '' : ','}`)
    if (chunk.length < linesInChunk && row < rows - 1) continue
    yield `${chunk.join('\n')}\n`
    chunk = []
  }
  yield ']}\n'
}

function featureOf(dataset: TileDataset, row: number, random: () => number): object {
  const whole = (limit: number): number => Math.floor(random() * limit)
  const { minX, minY, maxX, maxY } = regions[dataset]
  const [x, y] = [minX + random() * (maxX - minX), minY + random() * (maxY - minY)]
  const properties = {
    ident: row,
    name: `name ${whole(100_000)}`,
    kind: `class ${whole(12)}`,
    people: whole(5_000_000),
    height: whole(4_000_000) / 1000,
    year: 1900 + whole(125),
    seen: `2020-01-${String(1 + whole(28)).padStart(2, '0')}`,
  }
  return { type: 'Feature', properties, geometry: geometryOf(dataset, x, y, random) }
}

const rounded = (value: number): number => Number(value.toFixed(7))

function geometryOf(dataset: TileDataset, x: number, y: number, random: () => number): object {
  if (dataset === 'points') return { type: 'Point', coordinates: [rounded(x), rounded(y)] }
  if (dataset === 'polygons') return { type: 'Polygon', coordinates: [ringAround(x, y, random)] }
  return { type: 'LineString', coordinates: lineFrom(x, y, random) }
}

/** Some 20 to 80 metres across. */
function ringAround(x: number, y: number, random: () => number): number[][] {
  const size = 0.00015 + random() * 0.0004
  const ring = Array.from({ length: corners }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / corners
    const reach = size * (0.6 + 0.4 * random())
    return [rounded(x + reach * Math.cos(angle)), rounded(y + 0.65 * reach * Math.sin(angle))]
  })
  return [...ring, ring[0] ?? []]
}

/** Creates a line of 50 to 2,000 vertices; most lines are short. */
function lineFrom(startX: number, startY: number, random: () => number): number[][] {
  const vertices = 50 + Math.floor(random() * random() * 2000)
  let [x, y, angle] = [startX, startY, random() * 2 * Math.PI]
  return Array.from({ length: vertices }, () => {
    const place = [rounded(x), rounded(y)]
    angle += random() - 0.5
    x += 0.0005 * Math.cos(angle)
    y += 0.0004 * Math.sin(angle)
    return place
  })
}
