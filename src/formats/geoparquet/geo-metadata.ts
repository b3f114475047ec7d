import type { CrsDeclaration } from '../../geo/crs.ts'
import { matchCrs } from '../../geo/crs-database.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { GeometryType } from '../../geo/schema.ts'
import { geometryTypes } from '../../geo/schema.ts'
import type { FormatMessage } from '../format.ts'
import { damaged, notSupported } from './parquet-error.ts'
import type { ParquetFile, ParquetNode } from './parquet-file.ts'

const nativeEncodings = [
  'point',
  'linestring',
  'polygon',
  'multipoint',
  'multilinestring',
  'multipolygon',
] as const
export type NativeEncoding = (typeof nativeEncodings)[number]

/** Geometry metadata of a file. */
export interface GeometryInfo {
  /** Name of a column below the root. */
  column: string
  encoding: 'wkb' | NativeEncoding
  crs: CrsDeclaration | undefined
  envelope: Envelope | undefined
  /** Undefined if the file does not declare it. */
  shape: { type: GeometryType; hasZ: boolean; hasM: boolean } | undefined
  /** Columns that only contain the bounds of each row. */
  coverings: Set<string>
  /** Other geometry columns. */
  others: string[]
  messages: FormatMessage[]
}

type Json = Record<string, unknown>

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function asTexts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value]
  return list.filter((item) => typeof item === 'string')
}

/**
 * Returns the geometry column: of the `geo` metadata (GeoParquet 1.1), else the first with a geometry type of
 * Parquet itself.
 */
export function findGeometry(file: ParquetFile): GeometryInfo | undefined {
  const text = file.keyValues.get('geo')
  return text === undefined ? nativeGeometry(file) : declaredGeometry(file, text)
}

function declaredGeometry(file: ParquetFile, text: string): GeometryInfo {
  const geo = parseJson(text)
  const columns = isObject(geo) && isObject(geo.columns) ? geo.columns : {}
  const column = isObject(geo) && typeof geo.primary_column === 'string' ? geo.primary_column : 'geometry'
  const facts = columns[column]
  if (!isObject(facts)) throw damaged(`its "geo" metadata say nothing of the column "${column}"`)
  if (!file.root.children.some(({ name }) => name === column)) {
    throw damaged(`its "geo" metadata name the column "${column}", which does not exist`)
  }
  const messages: FormatMessage[] = []
  if (facts.edges === 'spherical') {
    const message = 'Edges are geodesic lines; they are loaded as straight ones between the same points'
    messages.push({ level: 'info', code: 'spherical-edges', message })
  }
  return {
    column,
    encoding: encodingOf(String(facts.encoding)),
    crs: declaredCrs(facts),
    envelope: envelopeOf(facts.bbox),
    shape: shapeOf(asTexts(facts.geometry_types ?? facts.geometry_type)),
    coverings: coveringsOf(columns),
    others: Object.keys(columns).filter((name) => name !== column),
    messages,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw damaged('its "geo" metadata are not JSON', cause)
  }
}

function encodingOf(name: string): GeometryInfo['encoding'] {
  const known = ['wkb', ...nativeEncodings] as const
  const encoding = known.find((one) => one === name.toLowerCase())
  if (encoding === undefined) throw notSupported(`Geometries are encoded as "${name}", which is not read`)
  return encoding
}

/**
 * Without the key the CRS is OGC:CRS84; null means unknown. Files before 0.4 contain WKT instead of PROJJSON.
 */
function declaredCrs(facts: Json): CrsDeclaration | undefined {
  if (!('crs' in facts)) return { srs: 'EPSG:4326' }
  if (facts.crs === null) return undefined
  const declaration: CrsDeclaration =
    typeof facts.crs === 'string' ? { wkt: facts.crs } : { projjson: JSON.stringify(facts.crs) }
  const srs = matchCrs(declaration)
  return srs === undefined ? declaration : { ...declaration, srs }
}

function envelopeOf(bbox: unknown): Envelope | undefined {
  if (!Array.isArray(bbox) || (bbox.length !== 4 && bbox.length !== 6)) return undefined
  const half = bbox.length / 2
  const [minX, minY, maxX, maxY] = [bbox[0], bbox[1], bbox[half], bbox[half + 1]]
  const isGood = [minX, minY, maxX, maxY].every((value) => Number.isFinite(value))
  return isGood && minX <= maxX && minY <= maxY ? { minX, minY, maxX, maxY } : undefined
}

function shapeOf(names: readonly string[]): GeometryInfo['shape'] {
  if (names.length === 0) return undefined
  const plain = new Set(names.map((name) => name.replace(/ (Z|M|ZM)$/, '')))
  const dimensions = names.map((name) => / (Z|M|ZM)$/.exec(name)?.[1] ?? '').join('')
  const multi = [...plain].map((name) => `Multi${name.replace(/^Multi/, '')}`)
  const name = plain.size === 1 ? [...plain][0] : new Set(multi).size === 1 ? multi[0] : 'Geometry'
  const type = geometryTypes.find((one) => one === name) ?? 'Geometry'
  return { type, hasZ: dimensions.includes('Z'), hasM: dimensions.includes('M') }
}

function coveringsOf(columns: Json): Set<string> {
  const names = new Set<string>()
  for (const facts of Object.values(columns)) {
    const covering = isObject(facts) && isObject(facts.covering) ? facts.covering.bbox : undefined
    if (!isObject(covering)) continue
    for (const path of Object.values(covering)) if (Array.isArray(path)) names.add(String(path[0]))
  }
  return names
}

function isNative({ element }: ParquetNode): boolean {
  return element.logical_type?.type === 'GEOMETRY' || element.logical_type?.type === 'GEOGRAPHY'
}

function nativeGeometry(file: ParquetFile): GeometryInfo | undefined {
  const found = file.root.children.filter(isNative)
  const [node] = found
  if (node === undefined) return undefined
  const { logical_type: logical } = node.element
  const crs = logical !== undefined && 'crs' in logical ? logical.crs : undefined
  return {
    column: node.name,
    encoding: 'wkb',
    crs: nativeCrs(crs, file.keyValues),
    envelope: undefined,
    shape: undefined,
    coverings: new Set(),
    others: found.slice(1).map(({ name }) => name),
    messages: [],
  }
}

/** Parquet's "Geospatial Types": OGC:CRS84 by default, `srid:<code>`, `projjson:<key of the file's metadata>`. */
function nativeCrs(text: string | undefined, keyValues: Map<string, string>): CrsDeclaration | undefined {
  if (text === undefined || text === '') return { srs: 'EPSG:4326' }
  const srid = /^srid:(\d+)$/i.exec(text)?.[1]
  if (srid === '0') return undefined
  const key = /^projjson:(.*)$/i.exec(text)?.[1]
  const json = key === undefined ? text : (keyValues.get(key) ?? '')
  const declaration: CrsDeclaration = json.trimStart().startsWith('{')
    ? { projjson: json }
    : { srs: srid === undefined ? text : `EPSG:${srid}` }
  const srs = matchCrs(declaration)
  if (srs !== undefined) return { ...declaration, srs }
  return declaration.projjson === undefined ? undefined : declaration
}
