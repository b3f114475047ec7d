import iconv from 'iconv-lite'
import type { RejectLine } from '../../formats/reject-lines.ts'
import { readRejectLines } from '../../formats/reject-lines.ts'
import type { Schema } from '../../geo/schema.ts'
import { writeGeometryJson } from '../../geo/wkb-to-geojson.ts'
import { writeGeometryText } from '../../geo/wkb-to-wkt.ts'
import type { RejectColumns } from '../model/load-rules.ts'
import { rejectColumns } from '../model/load-rules.ts'

/** Input for writing rejected rows. */
export interface ListedRejects {
  /** Path of the list. */
  path: string
  /** Schema of the rows in the source of the task. */
  schema: Schema
}

/** Returns the values of the reason columns of one row, in column order. */
export function reasonsOf({
  row,
  code,
  field,
  value,
  text,
  reason,
}: RejectLine): Record<keyof RejectColumns, unknown> {
  return { row, code, field, value: text ?? value, reason }
}

/** Formats a value as text: values other than texts and numbers as JSON. */
export function valueText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function geometryWkb({ wkb }: RejectLine): Buffer | undefined {
  return wkb === undefined ? undefined : Buffer.from(wkb, 'base64')
}

function cell(text: string, delimiter: string): string {
  const isPlain = !text.includes(delimiter) && !/["\r\n]/.test(text) && text.trim() === text
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`
}

/** Writes delimited text in the encoding of the source. A WKT column comes last. */
export async function* asDelimitedText(
  { path, schema }: ListedRejects,
  { delimiter = ',', charset = 'UTF-8' }: { delimiter?: string; charset?: string },
): AsyncGenerator<Uint8Array> {
  const columns = Object.values(rejectColumns(schema))
  const names = schema.attributes.map(({ name }) => name)
  const { geometry } = schema
  const encoding = iconv.encodingExists(charset) ? charset : 'UTF-8'
  const line = (cells: (string | undefined)[]): Uint8Array =>
    iconv.encode(`${cells.map((text) => cell(text ?? '', delimiter)).join(delimiter)}\r\n`, encoding)
  yield line([...columns, ...names, ...(geometry === undefined ? [] : [geometry.name])])
  for await (const one of readRejectLines(path)) {
    const { properties } = one
    const values = names.map((name) => valueText(properties?.[name]))
    const wkb = geometryWkb(one)
    const shape = wkb === undefined ? valueText(properties?.[geometry?.name ?? '']) : writeGeometryText(wkb)
    const reasons = Object.values(reasonsOf(one)).map(valueText)
    yield line([...reasons, ...values, ...(geometry === undefined ? [] : [shape])])
  }
}

/**
 * Writes GeoJSON in the coordinates of the source; the member `crs` names its CRS unless it is longitude and
 * latitude.
 */
export async function* asGeoJson({ path, schema }: ListedRejects): AsyncGenerator<Uint8Array> {
  const columns = Object.values(rejectColumns(schema))
  const srs = schema.geometry?.crs?.srs
  const [authority, code] = (srs ?? '').split(':')
  const name = `urn:ogc:def:crs:${authority}::${code}`
  const isNamed = srs !== undefined && srs !== 'EPSG:4326' && srs !== 'OGC:CRS84'
  const crs = isNamed ? `"crs":{"type":"name","properties":{"name":${JSON.stringify(name)}}},` : ''
  yield Buffer.from(`{"type":"FeatureCollection",${crs}"features":[\n`)
  let separator = ''
  for await (const one of readRejectLines(path)) {
    const reasons = Object.values(reasonsOf(one))
    const reported = Object.fromEntries(columns.map((column, index) => [column, reasons[index] ?? null]))
    const properties = propertiesJson(reported, one.properties ?? {}, schema)
    const wkb = geometryWkb(one)
    const geometry = wkb === undefined ? JSON.stringify(one.geometry ?? null) : writeGeometryJson(wkb)
    yield Buffer.from(`${separator}{"type":"Feature","geometry":${geometry},"properties":${properties}}`)
    separator = ',\n'
  }
  yield Buffer.from('\n]}\n')
}

/** Writes 64-bit integers as strings, since JSON numbers lose precision beyond 2^53. */
function propertiesJson(
  reported: Record<string, unknown>,
  own: Record<string, unknown>,
  { attributes }: Schema,
): string {
  const long = new Set(attributes.flatMap(({ name, type }) => (type === 'int64' ? [name] : [])))
  const members = Object.entries({ ...reported, ...own }).map(([name, value]) => {
    const isNumber = long.has(name) && typeof value === 'string' && /^-?(0|[1-9]\d*)$/.test(value)
    return `${JSON.stringify(name)}:${isNumber ? value : JSON.stringify(value)}`
  })
  return `{${members.join(',')}}`
}
