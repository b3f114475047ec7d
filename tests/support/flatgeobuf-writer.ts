/** A field of a FlatBuffers table; undefined is left out. */
type Field =
  | { uint8: number }
  | { uint16: number }
  | { int32: number }
  | { uint64: bigint }
  | { text: string }
  | { bytes: Uint8Array }
  | { uint32s: number[] }
  | { doubles: number[] }
  | { table: Field[] }
  | { tables: Field[][] }
  | undefined

/** Column types by their number in FlatGeobuf's header. */
export const columnNumbers = {
  Byte: 0,
  UByte: 1,
  Bool: 2,
  Short: 3,
  UShort: 4,
  Int: 5,
  UInt: 6,
  Long: 7,
  ULong: 8,
  Float: 9,
  Double: 10,
  String: 11,
  Json: 12,
  DateTime: 13,
  Binary: 14,
} as const

export interface FgbOptions {
  geometryType?: number
  hasZ?: boolean
  hasM?: boolean
  columns?: { name: string; type: keyof typeof columnNumbers }[]
  /** Default: the number of features; 0 where it is not known. */
  featureCount?: bigint
  indexNodeSize?: number
  crs?: { org?: string; code?: number; wkt?: string; codeString?: string }
  features: FgbFeature[]
}

export interface FgbFeature {
  geometry?: FgbGeometry
  /** The bytes of the properties, as `property` makes them. */
  properties?: Uint8Array[]
}

export interface FgbGeometry {
  type?: number
  ends?: number[]
  xy?: number[]
  z?: number[]
  m?: number[]
  parts?: FgbGeometry[]
}

/** A FlatGeobuf file without index content, for tests. */
export function writeFlatGeobuf(options: FgbOptions): Buffer {
  const { crs } = options
  const header = encode([
    { text: 'layer' },
    undefined,
    { uint8: options.geometryType ?? 0 },
    { uint8: options.hasZ === true ? 1 : 0 },
    { uint8: options.hasM === true ? 1 : 0 },
    undefined,
    undefined,
    {
      tables: (options.columns ?? []).map(({ name, type }) => [
        { text: name },
        { uint8: columnNumbers[type] },
      ]),
    },
    { uint64: options.featureCount ?? BigInt(options.features.length) },
    { uint16: options.indexNodeSize ?? 0 },
    crs && {
      table: [
        crs.org === undefined ? undefined : { text: crs.org },
        { int32: crs.code ?? 0 },
        undefined,
        undefined,
        crs.wkt === undefined ? undefined : { text: crs.wkt },
        crs.codeString === undefined ? undefined : { text: crs.codeString },
      ],
    },
  ])
  const magic = Buffer.from([0x66, 0x67, 0x62, 3, 0x66, 0x67, 0x62, 0])
  return Buffer.concat([
    magic,
    sized(header),
    ...options.features.map((feature) => sized(encodeFeature(feature))),
  ])
}

export function encodeFeature({ geometry, properties }: FgbFeature): Buffer {
  return encode([
    geometry && { table: geometryFields(geometry) },
    properties && { bytes: Buffer.concat(properties) },
  ])
}

export function sized(bytes: Uint8Array): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(bytes.length)
  return Buffer.concat([size, bytes])
}

/** A property: the number of its column, then its bytes; texts and the like behind their length. */
export function property(column: number, value: Uint8Array | string): Uint8Array {
  const head = Buffer.alloc(2)
  head.writeUInt16LE(column)
  return Buffer.concat([head, typeof value === 'string' ? sized(Buffer.from(value)) : value])
}

function geometryFields({ type, ends, xy, z, m, parts }: FgbGeometry): Field[] {
  return [
    ends && { uint32s: ends },
    xy && { doubles: xy },
    z && { doubles: z },
    m && { doubles: m },
    undefined,
    undefined,
    type === undefined ? undefined : { uint8: type },
    parts && { tables: parts.map(geometryFields) },
  ]
}

/** A FlatBuffers buffer: an offset to the root table, tables before what they point to. */
function encode(root: Field[]): Buffer {
  const bytes: number[] = []
  const put = (value: number | bigint, count: number): void => {
    for (let i = 0; i < count; i += 1) bytes.push(Number((BigInt(value) >> BigInt(i * 8)) & 255n))
  }
  const patch = (at: number, value: number): void => {
    for (let i = 0; i < 4; i += 1) bytes[at + i] = (value >> (i * 8)) & 255
  }
  const table = (fields: Field[]): number => {
    const layout = bytes.length
    put(4 + fields.length * 2, 2)
    put(4 + fields.length * 8, 2)
    for (const [slot, field] of fields.entries()) put(field === undefined ? 0 : 4 + slot * 8, 2)
    const start = bytes.length
    put(start - layout, 4)
    const inner = bytes.length
    for (const field of fields) put(inlineValue(field), 8)
    for (const [slot, field] of fields.entries()) {
      const at = inner + slot * 8
      const target = field === undefined ? undefined : outer(field)
      if (target !== undefined) patch(at, target - at)
    }
    return start
  }
  const outer = (field: NonNullable<Field>): number | undefined => {
    const start = bytes.length
    if ('table' in field) return table(field.table)
    if ('text' in field || 'bytes' in field) {
      const content = 'text' in field ? Buffer.from(field.text) : field.bytes
      put(content.length, 4)
      for (const byte of content) bytes.push(byte)
      return start
    }
    if ('uint32s' in field) {
      put(field.uint32s.length, 4)
      for (const value of field.uint32s) put(value, 4)
      return start
    }
    if ('doubles' in field) {
      put(field.doubles.length, 4)
      bytes.push(...new Uint8Array(Float64Array.from(field.doubles).buffer))
      return start
    }
    if (!('tables' in field)) return undefined
    put(field.tables.length, 4)
    for (const _ of field.tables) put(0, 4)
    for (const [index, fields] of field.tables.entries()) {
      const at = start + 4 + index * 4
      patch(at, table(fields) - at)
    }
    return start
  }
  put(0, 4)
  patch(0, table(root))
  return Buffer.from(bytes)
}

function inlineValue(field: Field): number | bigint {
  if (field === undefined) return 0
  if ('uint8' in field) return field.uint8
  if ('uint16' in field) return field.uint16
  if ('int32' in field) return BigInt.asUintN(32, BigInt(field.int32))
  return 'uint64' in field ? field.uint64 : 0
}
