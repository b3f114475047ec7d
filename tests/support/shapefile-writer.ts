import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'

/** A field of the .dbf: C, N, F, D, L and so on. */
export interface WriterField {
  name: string
  type: string
  width: number
  decimals?: number
}

/**
 * Shape: `parts` contains the ordinates of each part point by point: x, y and then z and m as the shape type
 * has them. Points and multipoints have one part. `null` is a Null shape.
 */
export type WriterShape = { parts: number[][] } | null

export interface WriterRow {
  shape: WriterShape
  /** One value for each field; texts are encoded as latin1, bytes are written unchanged. */
  values: (string | number | boolean | Uint8Array | null)[]
  isDeleted?: boolean
}

export interface WriterOptions {
  /** 1 Point, 3 PolyLine, 5 Polygon, 8 MultiPoint; 10 more for Z (which then has M too), 20 more for M. */
  shapeType: number
  fields: WriterField[]
  rows: Iterable<WriterRow>
  prj?: string
  cpg?: string
  languageDriver?: number
}

/**
 * Writes `path` (ending in .shp) with .shx, .dbf and the requested files, row by row; returns the number of
 * rows.
 */
export function writeShapefile(path: string, options: WriterOptions): number {
  const base = path.replace(/\.shp$/, '')
  const shp = new FileWriter(`${base}.shp`, 100)
  const shx = new FileWriter(`${base}.shx`, 100)
  const dbf = new FileWriter(`${base}.dbf`, 32 + options.fields.length * 32 + 1)
  const bounds = [Infinity, Infinity, -Infinity, -Infinity]
  let count = 0
  for (const row of options.rows) {
    count += 1
    const length = shapeLength(row.shape, options.shapeType)
    const entry = shx.take(8)
    entry.setInt32(0, shp.size / 2)
    entry.setInt32(4, length / 2)
    const record = shp.take(8 + length)
    record.setInt32(0, count)
    record.setInt32(4, length / 2)
    writeShape(record, 8, row.shape, options.shapeType, bounds)
    writeRow(dbf, options.fields, row)
  }
  dbf.take(1).setUint8(0, 0x1a)
  shp.finish((head) => writeShpHeader(head, shp.size, options.shapeType, bounds))
  shx.finish((head) => writeShpHeader(head, shx.size, options.shapeType, bounds))
  dbf.finish((head) => writeDbfHeader(head, options, count))
  if (options.prj !== undefined) writeFileSync(`${base}.prj`, options.prj)
  if (options.cpg !== undefined) writeFileSync(`${base}.cpg`, options.cpg)
  return count
}

/** Appends to a file through a buffer; the header is written last, when everything is known. */
class FileWriter {
  size: number
  readonly #fd: number
  readonly #headBytes: number
  #buffer = Buffer.alloc(1 << 20)
  #used = 0

  constructor(path: string, headBytes: number) {
    this.#fd = openSync(path, 'w')
    this.#headBytes = headBytes
    this.size = headBytes
    writeSync(this.#fd, Buffer.alloc(headBytes))
  }

  /** A view over the next `count` bytes, filled with zeros. */
  take(count: number): DataView {
    if (this.#used + count > this.#buffer.length) {
      this.#flush()
      if (count > this.#buffer.length) this.#buffer = Buffer.alloc(count)
    }
    const view = new DataView(this.#buffer.buffer, this.#buffer.byteOffset + this.#used, count)
    this.#buffer.fill(0, this.#used, this.#used + count)
    this.#used += count
    this.size += count
    return view
  }

  finish(writeHead: (head: DataView) => void): void {
    this.#flush()
    const head = Buffer.alloc(this.#headBytes)
    writeHead(new DataView(head.buffer, head.byteOffset, head.length))
    writeSync(this.#fd, head, 0, head.length, 0)
    closeSync(this.#fd)
  }

  #flush(): void {
    writeSync(this.#fd, this.#buffer, 0, this.#used)
    this.#used = 0
  }
}

function ordinates(shapeType: number): number {
  return shapeType > 20 ? 3 : shapeType > 10 ? 4 : 2
}

function shapeLength(shape: WriterShape, shapeType: number): number {
  if (shape === null) return 4
  const base = shapeType % 10
  const extra = ordinates(shapeType) - 2
  if (base === 1) return 20 + extra * 8
  const points = countPoints(shape, shapeType)
  const fixed = base === 8 ? 40 : 44 + shape.parts.length * 4
  return fixed + points * 16 + extra * (16 + points * 8)
}

function countPoints(shape: { parts: number[][] }, shapeType: number): number {
  return shape.parts.reduce((sum, part) => sum + part.length, 0) / ordinates(shapeType)
}

function writeShape(
  view: DataView,
  start: number,
  shape: WriterShape,
  shapeType: number,
  bounds: number[],
): void {
  if (shape === null) return
  view.setInt32(start, shapeType, true)
  const base = shapeType % 10
  const stride = ordinates(shapeType)
  if (base === 1) {
    const point = shape.parts[0] ?? []
    for (let i = 0; i < stride; i += 1) view.setFloat64(start + 4 + i * 8, point[i] ?? 0, true)
    include(bounds, point[0] ?? 0, point[1] ?? 0)
    return
  }
  const points = countPoints(shape, shapeType)
  let at = start + 36
  if (base !== 8) {
    view.setInt32(at, shape.parts.length, true)
    at += 4
  }
  view.setInt32(at, points, true)
  at += 4
  if (base !== 8) {
    let first = 0
    for (const part of shape.parts) {
      view.setInt32(at, first, true)
      first += part.length / stride
      at += 4
    }
  }
  const box = [Infinity, Infinity, -Infinity, -Infinity]
  let point = 0
  for (const part of shape.parts) {
    for (let i = 0; i < part.length; i += stride) {
      const [x, y] = [part[i] as number, part[i + 1] as number]
      view.setFloat64(at + point * 16, x, true)
      view.setFloat64(at + point * 16 + 8, y, true)
      include(box, x, y)
      for (let extra = 2; extra < stride; extra += 1) {
        const block = at + points * 16 + (extra - 2) * (16 + points * 8) + 16
        view.setFloat64(block + point * 8, part[i + extra] as number, true)
      }
      point += 1
    }
  }
  for (const [i, value] of box.entries()) view.setFloat64(start + 4 + i * 8, value, true)
  if (point > 0) {
    include(bounds, box[0] as number, box[1] as number)
    include(bounds, box[2] as number, box[3] as number)
  }
}

function include(box: number[], x: number, y: number): void {
  if (x < (box[0] as number)) box[0] = x
  if (y < (box[1] as number)) box[1] = y
  if (x > (box[2] as number)) box[2] = x
  if (y > (box[3] as number)) box[3] = y
}

function writeShpHeader(head: DataView, size: number, shapeType: number, bounds: number[]): void {
  head.setInt32(0, 9994)
  head.setUint32(24, size / 2)
  head.setInt32(28, 1000, true)
  head.setInt32(32, shapeType, true)
  for (const [i, value] of bounds.entries())
    head.setFloat64(36 + i * 8, Number.isFinite(value) ? value : 0, true)
}

function writeDbfHeader(head: DataView, options: WriterOptions, count: number): void {
  const { fields } = options
  head.setUint8(0, 3)
  head.setUint8(1, 124)
  head.setUint8(2, 1)
  head.setUint8(3, 1)
  head.setUint32(4, count, true)
  head.setUint16(8, head.byteLength, true)
  head.setUint16(10, 1 + fields.reduce((sum, field) => sum + field.width, 0), true)
  head.setUint8(29, options.languageDriver ?? 0)
  for (const [index, field] of fields.entries()) {
    const at = 32 + index * 32
    const name = Buffer.from(field.name, 'latin1').subarray(0, 11)
    for (const [i, byte] of name.entries()) head.setUint8(at + i, byte)
    head.setUint8(at + 11, field.type.charCodeAt(0))
    head.setUint8(at + 16, field.width & 255)
    head.setUint8(at + 17, field.width > 255 ? field.width >> 8 : (field.decimals ?? 0))
  }
  head.setUint8(head.byteLength - 1, 0x0d)
}

function writeRow(dbf: FileWriter, fields: WriterField[], row: WriterRow): void {
  const view = dbf.take(1 + fields.reduce((sum, field) => sum + field.width, 0))
  view.setUint8(0, row.isDeleted === true ? 0x2a : 0x20)
  let at = 1
  for (const [index, field] of fields.entries()) {
    writeValue(view, at, field, row.values[index] ?? null)
    at += field.width
  }
}

function writeValue(
  view: DataView,
  at: number,
  field: WriterField,
  value: WriterRow['values'][number],
): void {
  const { width } = field
  const isRight = typeof value === 'number'
  const text = value instanceof Uint8Array ? value : valueText(field, value)
  const offset = isRight ? Math.max(0, width - text.length) : 0
  for (let i = 0; i < width; i += 1) {
    const source = i - offset
    const isInside = source >= 0 && source < text.length
    const code = typeof text === 'string' ? text.charCodeAt(source) : text[source]
    view.setUint8(at + i, isInside ? (code as number) & 255 : 0x20)
  }
}

function valueText(field: WriterField, value: string | number | boolean | null): string {
  if (value === null) return field.type === 'L' ? '?' : ''
  if (typeof value === 'boolean') return value ? 'T' : 'F'
  return typeof value === 'number' ? value.toFixed(field.decimals ?? 0) : value
}
