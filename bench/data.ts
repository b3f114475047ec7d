import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { runProgram } from '../src/core/process/process.ts'
import type { BenchFeature } from './geoparquet-data.ts'
import { writeGeoParquet } from './geoparquet-data.ts'
import { seededRandom } from './random.ts'

export const datasets = ['points', 'polygons'] as const
export type Dataset = (typeof datasets)[number]

export const fileKinds = [
  'shapefile',
  'geojson',
  'csv',
  'geopackage',
  'flatgeobuf',
  'kml',
  'geoparquet',
] as const
export type FileKind = (typeof fileKinds)[number]

const endings: Record<FileKind, string> = {
  shapefile: 'shp',
  geojson: 'geojson',
  csv: 'csv',
  geopackage: 'gpkg',
  flatgeobuf: 'fgb',
  kml: 'kml',
  geoparquet: 'parquet',
}
const drivers: Partial<Record<FileKind, string[]>> = {
  shapefile: ['-f', 'ESRI Shapefile', '-lco', 'ENCODING=UTF-8'],
  geopackage: ['-f', 'GPKG'],
  flatgeobuf: ['-f', 'FlatGeobuf'],
}
const corners = 10
const linesInChunk = 2000
const hourMilliseconds = 3600_000
const places = ['Ålesund', 'Bergen', 'Chur', 'Dakar', 'Évora', 'Faro', 'Graz', 'Lund', 'Pécs', 'Žilina']

/** The file with `rows` features, made first where it is not there; the same seed gives the same bytes. */
export async function dataFile(
  folder: string,
  dataset: Dataset,
  kind: FileKind,
  rows: number,
): Promise<string> {
  const base = join(folder, `${dataset}_${rows}`)
  const path = kind === 'shapefile' ? join(base, `${dataset}.shp`) : `${base}.${endings[kind]}`
  if (existsSync(path)) return path
  mkdirSync(kind === 'shapefile' ? base : folder, { recursive: true })
  if (kind === 'csv') return writeLines(path, csvLines(rows))
  if (kind === 'geojson') return writeLines(path, geojsonLines(dataset, rows))
  if (kind === 'kml') return writeLines(path, kmlLines(dataset, rows))
  if (kind === 'geoparquet') return writeGeoParquet(path, wktFeatures(dataset, rows))
  const source = await dataFile(folder, dataset, 'geojson', rows)
  const options = [...(drivers[kind] ?? []), '-nln', dataset, '-a_srs', 'EPSG:4326']
  try {
    await runProgram('ogr2ogr', [...options, path, source], { timeoutMs: hourMilliseconds })
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
  return path
}

async function writeLines(path: string, lines: Iterable<string>): Promise<string> {
  const unfinished = `${path}.part`
  await pipeline(Readable.from(chunked(lines)), createWriteStream(unfinished))
  renameSync(unfinished, path)
  return path
}

function* chunked(lines: Iterable<string>): Generator<string> {
  let chunk: string[] = []
  for (const line of lines) {
    chunk.push(line)
    if (chunk.length < linesInChunk) continue
    yield `${chunk.join('\n')}\n`
    chunk = []
  }
  if (chunk.length > 0) yield `${chunk.join('\n')}\n`
}

interface PlaceRecord {
  x: string
  y: string
  /** Seven attributes. */
  attributes: [string, number | string][]
}

function* randomPlaces(rows: number): Generator<PlaceRecord> {
  const random = seededRandom(20_240_501)
  const whole = (limit: number): number => Math.floor(random() * limit)
  for (let row = 0; row < rows; row += 1) {
    const day = `${1990 + whole(35)}-${String(1 + whole(12)).padStart(2, '0')}-${String(1 + whole(28)).padStart(2, '0')}`
    yield {
      x: (random() * 360 - 180).toFixed(6),
      y: (random() * 170 - 85).toFixed(6),
      attributes: [
        ['ident', row],
        ['name', `${places[whole(places.length)]} ${whole(100_000)}`],
        ['kind', `class ${whole(12)}`],
        ['people', whole(5_000_000)],
        ['height', Math.round(random() * 4_000_000) / 1000],
        ['year', 1900 + whole(125)],
        ['seen', day],
      ],
    }
  }
}

function* csvLines(rows: number): Generator<string> {
  let isFirst = true
  for (const { x, y, attributes } of randomPlaces(rows)) {
    if (isFirst) yield ['lon', 'lat', ...attributes.map(([name]) => name)].join()
    isFirst = false
    yield [x, y, ...attributes.map(([, value]) => value)].join()
  }
}

function* geojsonLines(dataset: Dataset, rows: number): Generator<string> {
  yield '{"type":"FeatureCollection","features":['
  const random = seededRandom(7)
  let row = 0
  for (const place of randomPlaces(rows)) {
    row += 1
    const geometry =
      dataset === 'points'
        ? `{"type":"Point","coordinates":[${place.x},${place.y}]}`
        : `{"type":"Polygon","coordinates":[[${ringOf(place, random)
            .map((position) => `[${position.join()}]`)
            .join()}]]}`
    const properties = JSON.stringify(Object.fromEntries(place.attributes))
    yield `{"type":"Feature","properties":${properties},"geometry":${geometry}}${row < rows ? ',' : ''}`
  }
  yield ']}'
}

function* wktFeatures(dataset: Dataset, rows: number): Generator<BenchFeature> {
  const random = seededRandom(7)
  for (const place of randomPlaces(rows)) {
    const ring = () => ringOf(place, random).map((position) => position.join(' '))
    const wkt = dataset === 'points' ? `POINT(${place.x} ${place.y})` : `POLYGON((${ring().join()}))`
    yield { wkt, attributes: place.attributes }
  }
}

function* kmlLines(dataset: Dataset, rows: number): Generator<string> {
  const random = seededRandom(7)
  yield '<?xml version="1.0" encoding="UTF-8"?>'
  yield '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Schema name="s" id="s">'
  const types = ['int', 'string', 'string', 'int', 'double', 'int', 'string']
  const [first] = randomPlaces(1)
  for (const [at, [name]] of (first?.attributes ?? []).entries()) {
    yield `<SimpleField name="${name}" type="${types[at]}"></SimpleField>`
  }
  yield '</Schema><Folder><name>all</name>'
  for (const place of randomPlaces(rows)) {
    const data = place.attributes.map(([name, value]) => `<SimpleData name="${name}">${value}</SimpleData>`)
    const ring = () => ringOf(place, random).map((position) => position.join())
    const geometry =
      dataset === 'points'
        ? `<Point><coordinates>${place.x},${place.y}</coordinates></Point>`
        : `<Polygon><outerBoundaryIs><LinearRing><coordinates>${ring().join(' ')}</coordinates></LinearRing></outerBoundaryIs></Polygon>`
    yield `<Placemark><ExtendedData><SchemaData schemaUrl="#s">${data.join('')}</SchemaData></ExtendedData>${geometry}</Placemark>`
  }
  yield '</Folder></Document></kml>'
}

/** A ring of ten corners around the place, counter-clockwise (RFC 7946 section 3.1.6), closed. */
function ringOf({ x, y }: PlaceRecord, random: () => number): [string, string][] {
  const size = 0.001 + random() * 0.01
  const ring = Array.from({ length: corners }, (_, corner): [string, string] => {
    const angle = (2 * Math.PI * corner) / corners
    const reach = size * (0.6 + 0.4 * random())
    return [
      (Number(x) + reach * Math.cos(angle)).toFixed(6),
      (Number(y) + reach * Math.sin(angle)).toFixed(6),
    ]
  })
  return [...ring, ...ring.slice(0, 1)]
}
