import { DistinctNames } from '../../core/text/free-name.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Attribute, AttributeType } from '../../geo/schema.ts'
import { FormatError } from '../format.ts'
import { FlatBuffer, FlatBufferError } from './flat-buffer.ts'

/** The first bytes of a FlatGeobuf file: letters and major version; the eighth is a patch level. */
const magic = [0x66, 0x67, 0x62, 0x03, 0x66, 0x67, 0x62]
export const magicBytes = 8

export function isFgbHead(head: Uint8Array): boolean {
  return magic.every((byte, index) => head[index] === byte)
}

/**
 * Column types in the order of their numbers (header.fbs), with an attribute type that represents every
 * value.
 */
const columnTypes = [
  ['Byte', 'int16'],
  ['UByte', 'int16'],
  ['Bool', 'boolean'],
  ['Short', 'int16'],
  ['UShort', 'int32'],
  ['Int', 'int32'],
  ['UInt', 'int64'],
  ['Long', 'int64'],
  ['ULong', 'decimal'],
  ['Float', 'float32'],
  ['Double', 'float64'],
  ['String', 'text'],
  ['Json', 'text'],
  ['DateTime', 'timestamp'],
  ['Binary', 'binary'],
] as const satisfies readonly (readonly [string, AttributeType])[]
export type FgbColumnType = (typeof columnTypes)[number][0]

export interface FgbHeader {
  /** Geometry type number; 0 if every feature has its own. */
  geometryType: number
  hasZ: boolean
  hasM: boolean
  columns: { type: FgbColumnType; attribute: Attribute }[]
  /** Undefined if the writer did not know the count. */
  featureCount: number | undefined
  /** Size of the index between header and features. */
  indexBytes: number
  envelope: Envelope | undefined
  crs: CrsDeclaration | undefined
}

/** Parses the header table, `view[start, end)` without its size. Throws `FormatError` if it is invalid. */
export function parseFgbHeader(view: DataView, start: number, end: number): FgbHeader {
  try {
    return parse(view, start, end)
  } catch (cause) {
    if (!(cause instanceof FlatBufferError)) throw cause
    throw new FormatError('The header of the FlatGeobuf file is damaged', { code: 'corrupt', cause })
  }
}

function parse(view: DataView, start: number, end: number): FgbHeader {
  const buffer = new FlatBuffer()
  const root = buffer.open(view, start, end)
  const flag = (slot: number): boolean => {
    const at = buffer.field(root, slot)
    return at !== 0 && buffer.uint8(at) !== 0
  }
  const typeAt = buffer.field(root, 2)
  const countAt = buffer.field(root, 8)
  const count = countAt === 0 ? 0 : Number(buffer.uint64(countAt))
  const nodeAt = buffer.field(root, 9)
  const nodeSize = nodeAt === 0 ? 16 : buffer.uint16(nodeAt)
  return {
    geometryType: typeAt === 0 ? 0 : buffer.uint8(typeAt),
    hasZ: flag(3),
    hasM: flag(4),
    columns: parseColumns(buffer, buffer.field(root, 7)),
    featureCount: count === 0 ? undefined : count,
    indexBytes: indexBytes(count, nodeSize),
    envelope: parseEnvelope(buffer, buffer.field(root, 1)),
    crs: parseCrs(buffer, buffer.field(root, 10)),
  }
}

/** Size of the packed R-tree: 40 bytes for each node of each level, up to a single root. */
function indexBytes(count: number, nodeSize: number): number {
  if (count === 0 || nodeSize === 0) return 0
  if (nodeSize < 2) throw new FlatBufferError(`an index node of ${nodeSize} items is not possible`)
  let nodes = count
  for (let level = count; level > 1; nodes += level) level = Math.ceil(level / nodeSize)
  return (count === 1 ? 2 : nodes) * 40
}

function parseEnvelope(buffer: FlatBuffer, at: number): Envelope | undefined {
  const first = buffer.vector(at, 8)
  if (buffer.count !== 4) return undefined
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = [0, 8, 16, 24].map((offset) =>
    buffer.view.getFloat64(first + offset, true),
  )
  const isSound = [minX, minY, maxX, maxY].every(Number.isFinite) && minX <= maxX && minY <= maxY
  return isSound ? { minX, minY, maxX, maxY } : undefined
}

function parseColumns(buffer: FlatBuffer, at: number): FgbHeader['columns'] {
  const first = buffer.vector(at, 4)
  const { count } = buffer
  const columns: FgbHeader['columns'] = []
  const names = new DistinctNames()
  for (let index = 0; index < count; index += 1) {
    const table = buffer.target(first + index * 4)
    const source = buffer.text(buffer.field(table, 0)) ?? ''
    const name = names.take(source === '' ? `field_${index + 1}` : source)
    const typeAt = buffer.field(table, 1)
    const [type, attributeType] = columnTypes[typeAt === 0 ? 0 : buffer.uint8(typeAt)] ?? []
    if (type === undefined || attributeType === undefined) {
      throw new FlatBufferError(`column "${name}" has a type that is not known`)
    }
    const attribute: Attribute = { name, type: attributeType }
    if (attributeType === 'decimal') Object.assign(attribute, { precision: 20, scale: 0 })
    const widthAt = buffer.field(table, 4)
    const width = widthAt === 0 ? 0 : buffer.int32(widthAt)
    if (type === 'String' && width > 0) attribute.maxLength = width
    if (name !== source && source !== '') attribute.source = source
    columns.push({ type, attribute })
  }
  return columns
}

function parseCrs(buffer: FlatBuffer, at: number): CrsDeclaration | undefined {
  if (at === 0) return undefined
  const table = buffer.target(at)
  const codeAt = buffer.field(table, 1)
  const number = codeAt === 0 ? 0 : buffer.int32(codeAt)
  const code = number > 0 ? String(number) : (buffer.text(buffer.field(table, 5)) ?? '')
  const authority = buffer.text(buffer.field(table, 0)) || 'EPSG'
  const wkt = buffer.text(buffer.field(table, 4)) ?? ''
  const crs: CrsDeclaration = {}
  if (code !== '') crs.srs = `${authority.toUpperCase()}:${code}`
  if (wkt !== '') crs.wkt = wkt
  return code === '' && wkt === '' ? undefined : crs
}
