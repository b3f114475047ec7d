import type { Envelope } from '../../../geo/envelope.ts'
import type { AttributeType, Schema } from '../../../geo/schema.ts'
import { geometryTypeCode } from '../../../geo/wkb.ts'
import type { WrittenAbout } from '../feature-format.ts'
import type { FlatGeobufTableWriter } from './table-writer.ts'

/** Magic bytes and version. */
const magic = Uint8Array.of(0x66, 0x67, 0x62, 0x03, 0x66, 0x67, 0x62, 0x00)
/** Numbers of column types (header.fbs). Decimals are text, and so are times without a date. */
const columnTypes: Record<AttributeType, number> = {
  boolean: 2,
  int16: 3,
  int32: 5,
  int64: 7,
  float32: 9,
  float64: 10,
  decimal: 11,
  text: 11,
  date: 13,
  time: 11,
  timestamp: 13,
  binary: 14,
}
const textColumn = 11

/** Known properties of a file that is written completely. */
interface FgbContents {
  count: number
  envelope: Envelope | undefined
  /** Number of items per index node; 0 for no index. */
  nodeSize: number
}

/** Writes the start of a file: magic bytes, and the header with the columns. */
export function writeFgbHeader(
  out: FlatGeobufTableWriter,
  about: WrittenAbout,
  schema: Schema,
  idName: string | undefined,
  contents: FgbContents = { count: 0, envelope: undefined, nodeSize: 0 },
): void {
  const { attributes, geometry } = schema
  const { envelope, count, nodeSize } = contents
  out.append(magic)
  const slots = [
    4,
    envelope === undefined ? 0 : 4,
    1,
    1,
    1,
    0,
    0,
    4,
    8,
    2,
    about.crs === undefined ? 0 : 4,
    4,
  ]
  const [
    name = 0,
    box = 0,
    type = 0,
    hasZ = 0,
    hasM = 0,
    ,
    ,
    columns = 0,
    total = 0,
    node = 0,
    crs = 0,
    title = 0,
  ] = out.table(out.beginRecord(), slots)
  const { view } = out
  view.setUint8(type, geometry === undefined ? 0 : geometryTypeCode(geometry.type))
  view.setUint8(hasZ, geometry?.hasZ === true ? 1 : 0)
  view.setUint8(hasM, geometry?.hasM === true ? 1 : 0)
  view.setBigUint64(total, BigInt(count), true)
  view.setUint16(node, nodeSize, true)
  out.text(name, about.name)
  if (envelope !== undefined) out.float64s(box, [envelope.minX, envelope.minY, envelope.maxX, envelope.maxY])
  const described = [
    ...(idName === undefined ? [] : [{ name: idName, number: textColumn }]),
    ...attributes.map((attribute) => ({ name: attribute.name, number: columnTypes[attribute.type] })),
  ]
  const offsets = out.tables(columns, described.length)
  for (const [index, column] of described.entries()) writeColumn(out, offsets[index] ?? 0, column)
  if (about.crs !== undefined) writeCrs(out, crs, about.crs.srs)
  out.text(title, about.title)
  out.endRecord()
}

function writeColumn(
  out: FlatGeobufTableWriter,
  offset: number,
  column: { name: string; number: number },
): void {
  const [name = 0, type = 0] = out.table(offset, [4, 1])
  out.view.setUint8(type, column.number)
  out.text(name, column.name)
}

function writeCrs(out: FlatGeobufTableWriter, offset: number, srs: string): void {
  const [authority = '', code = ''] = srs.split(':')
  const isNumber = /^\d{1,9}$/.test(code)
  const [org = 0, number = 0, , , , text = 0] = out.table(offset, [
    4,
    isNumber ? 4 : 0,
    0,
    0,
    0,
    isNumber ? 0 : 4,
  ])
  if (isNumber) out.view.setInt32(number, Number(code), true)
  out.text(org, authority)
  if (!isNumber) out.text(text, code)
}
