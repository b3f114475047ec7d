import { freeName } from '../../../core/text/free-name.ts'
import type { FeatureBatch } from '../../../geo/batch.ts'
import type { Column } from '../../../geo/column.ts'
import { isValid } from '../../../geo/column.ts'
import type { Schema } from '../../../geo/schema.ts'
import { dateText, timestampText, timeText } from '../../../geo/time-text.ts'
import type { FeatureFormat, FeatureWriter, WrittenAbout } from '../feature-format.ts'
import { FlatGeobufTableWriter } from './table-writer.ts'
import { FgbGeometryWriter } from './write-geometry.ts'
import { writeFgbHeader } from './write-header.ts'

/** Returns the name of the id column; undefined if there is none. */
function idNameOf({ hidesIds }: WrittenAbout, { attributes }: Schema): string | undefined {
  if (hidesIds === true) return undefined
  const isTaken = (name: string): boolean => attributes.some((one) => one.name.toLowerCase() === name)
  return freeName('id', isTaken, { separator: '_' })
}

class FgbWriter implements FeatureWriter {
  readonly #out = new FlatGeobufTableWriter()
  readonly #geometry: FgbGeometryWriter | undefined
  readonly #hasIds: boolean

  constructor(about: WrittenAbout, schema: Schema) {
    const idName = idNameOf(about, schema)
    this.#hasIds = idName !== undefined
    this.#geometry = schema.geometry && new FgbGeometryWriter(this.#out, schema.geometry)
    writeFgbHeader(this.#out, about, schema, idName)
  }

  get waiting(): number {
    return this.#out.length
  }

  take(): Uint8Array<ArrayBuffer> {
    return this.#out.take()
  }

  add(batch: FeatureBatch, row: number, id: string): void {
    const out = this.#out
    const { geometry } = batch
    const hasGeometry = geometry !== undefined && isValid(geometry.validity, row)
    const [geometryOffset = 0, properties = 0] = out.table(out.beginRecord(), [hasGeometry ? 4 : 0, 4])
    if (hasGeometry)
      this.#geometry?.write(
        geometryOffset,
        geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1]),
      )
    const start = out.beginBytes(properties)
    if (this.#hasIds) {
      out.uint16(0)
      appendText(out, id)
    }
    for (const [index, column] of batch.columns.entries()) {
      if (!isValid(column.validity, row)) continue
      out.uint16(index + (this.#hasIds ? 1 : 0))
      appendValue(out, column, row)
    }
    out.endBytes(start)
    out.endRecord()
  }
}

function appendText(out: FlatGeobufTableWriter, text: string): void {
  const bytes = Buffer.from(text, 'utf8')
  out.uint32(bytes.length)
  out.append(bytes)
}

/** Appends a value (feature.fbs, properties); texts, times and bytes follow their length. */
function appendValue(out: FlatGeobufTableWriter, column: Column, row: number): void {
  switch (column.kind) {
    case 'var': {
      const bytes = column.bytes.subarray(column.offsets[row], column.offsets[row + 1])
      out.uint32(bytes.length)
      out.append(bytes)
      return
    }
    case 'big': {
      const value = column.values[row] as bigint
      if (column.type === 'int64') {
        out.reserve(8)
        out.view.setBigInt64(out.length, value, true)
        out.length += 8
      } else appendText(out, column.type === 'time' ? timeText(value) : timestampText(value))
      return
    }
    case 'fixed':
      appendNumber(out, column.type, column.values[row] as number)
  }
}

function appendNumber(out: FlatGeobufTableWriter, type: Column['type'], value: number): void {
  if (type === 'date') {
    appendText(out, dateText(value))
    return
  }
  out.reserve(8)
  const { view, length } = out
  if (type === 'boolean') view.setUint8(length, value)
  else if (type === 'int16') view.setInt16(length, value, true)
  else if (type === 'int32') view.setInt32(length, value, true)
  else if (type === 'float32') view.setFloat32(length, value, true)
  else view.setFloat64(length, value, true)
  out.length += widths[type as keyof typeof widths]
}

const widths = { boolean: 1, int16: 2, int32: 4, float32: 4, float64: 8 }

/** FlatGeobuf 3 as a stream, without an index; coordinates have x or longitude first, whatever their CRS. */
export const flatGeobufFormat: FeatureFormat = {
  open: (about, schema) => new FgbWriter(about, schema),
  end: () => '',
}
