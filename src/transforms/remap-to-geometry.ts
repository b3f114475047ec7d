import type { FeatureBatch } from '../geo/batch.ts'
import type { Column, VarColumn } from '../geo/column.ts'
import { isBlankText, isValid } from '../geo/column.ts'
import { GeometryBuilder } from '../geo/geometry-builder.ts'
import type { GeometryShape } from '../geo/geometry-shape.ts'
import { isMultiType } from '../geo/geometry-shape.ts'
import type { Attribute, GeometryField, GeometryType, Schema } from '../geo/schema.ts'
import { GeometryError, geometryTypeCode, geometryTypeName, wkbTypeNumber } from '../geo/wkb.ts'
import { WktReader } from '../geo/wkt.ts'
import type { RowFailure } from './replace-column.ts'
import { columnCellText, withoutFailures } from './replace-column.ts'
import type { BatchMapper, ChainOptions } from './transform.ts'
import { TransformError } from './transform.ts'

/** Changes the declared type of the geometry column; rows with a geometry that does not fit are rejected. */
export function retypeGeometry(schema: Schema, geometry: GeometryField, type: GeometryType): BatchMapper {
  const changed: Schema = { ...schema, geometry: { ...geometry, type } }
  return { schema: changed, apply: (batch) => retypeBatch(batch, changed, geometry.name, type) }
}

function retypeBatch(batch: FeatureBatch, schema: Schema, field: string, type: GeometryType): FeatureBatch {
  const column = batch.geometry
  if (column === undefined || type === 'Geometry') return { ...batch, schema }
  const requested = geometryTypeCode(type)
  const builder = new GeometryBuilder(batch.rowCount)
  const view = new DataView(column.bytes.buffer, column.bytes.byteOffset, column.bytes.byteLength)
  const failures: RowFailure[] = []
  for (let row = 0; row < batch.rowCount; row += 1) {
    if (!isValid(column.validity, row)) {
      builder.appendNull()
      continue
    }
    const start = column.offsets[row] as number
    const end = column.offsets[row + 1] as number
    if (!appendAs(builder, view, column.bytes, start, end, requested)) {
      builder.appendNull()
      const found = geometryTypeName(view.getUint32(start + 1, true) % 1000)
      failures.push({ row, field, value: found, reason: `A ${found} cannot become a ${type}` })
    }
  }
  return withoutFailures(batch, { ...batch, schema, geometry: builder.finish() }, failures)
}

/**
 * Appends WKB in the requested type: unchanged, wrapped as the only part of a multi geometry, or the only
 * part of one.
 */
function appendAs(
  builder: GeometryBuilder,
  view: DataView,
  bytes: Uint8Array,
  start: number,
  end: number,
  requested: number,
): boolean {
  const number = view.getUint32(start + 1, true)
  const code = number % 1000
  const isSingle = code >= 1 && code <= 3
  if (code === requested) builder.appendWkb(bytes, start, end)
  else if ((isSingle && code + 3 === requested) || (requested === 7 && code !== 7)) {
    const wrapped = new Uint8Array(9 + end - start)
    wrapped[0] = 1
    const head = new DataView(wrapped.buffer)
    head.setUint32(1, wkbTypeNumber(requested, false, false) + number - code, true)
    head.setUint32(5, 1, true)
    wrapped.set(bytes.subarray(start, end), 9)
    builder.appendWkb(wrapped)
  } else if (code === requested + 3 && requested <= 3 && view.getUint32(start + 5, true) === 1) {
    builder.appendWkb(bytes, start + 9, end)
  } else return false
  return true
}

function shapeOf(type: GeometryType, { example = '' }: Attribute): GeometryShape {
  const dimensions = /^[^(]*?(?<=[\s)TNY])(ZM|Z|M)\s*\(/i.exec(example)?.[1]?.toUpperCase() ?? ''
  return { isMulti: isMultiType(type), hasZ: dimensions.includes('Z'), hasM: dimensions.includes('M') }
}

/**
 * Creates the geometry of a table from one of its fields: text with WKT or EWKT, binary with WKB or EWKB. The
 * field is removed. Throws `TransformError` if the table already has a geometry.
 */
export function fieldToGeometry(
  schema: Schema,
  index: number,
  type: GeometryType,
  options: ChainOptions,
): BatchMapper {
  const attribute = schema.attributes[index] as Attribute
  const { name } = attribute
  if (schema.geometry !== undefined) {
    throw new TransformError(
      `Field "${name}" cannot become a geometry: "${schema.geometry.name}" is the geometry already`,
      'unsuitable-field',
    )
  }
  if (attribute.type !== 'text' && attribute.type !== 'binary') {
    throw new TransformError(
      `Field "${name}" holds ${attribute.type} values: only text (WKT) and binary (WKB) can become a geometry`,
      'unsuitable-field',
    )
  }
  const shape =
    attribute.type === 'text' ? shapeOf(type, attribute) : { isMulti: false, hasZ: false, hasM: false }
  const changed: Schema = {
    attributes: schema.attributes.toSpliced(index, 1),
    geometry: { name, type, hasZ: shape.hasZ, hasM: shape.hasM, crs: options.declaredCrs },
  }
  const apply = (batch: FeatureBatch): FeatureBatch =>
    retypeBatch(readGeometries(batch, index, changed, shape), changed, name, type)
  return { schema: changed, apply }
}

function readGeometries(
  batch: FeatureBatch,
  index: number,
  schema: Schema,
  shape: GeometryShape,
): FeatureBatch {
  const column = batch.columns[index] as VarColumn
  const builder = new GeometryBuilder(batch.rowCount)
  const append = column.type === 'text' ? wktAppender(builder, shape) : wkbAppender(builder, shape)
  const name = schema.geometry?.name ?? ''
  const failures: RowFailure[] = []
  for (let row = 0; row < batch.rowCount; row += 1) {
    const start = column.offsets[row] as number
    const end = column.offsets[row + 1] as number
    const isEmpty = start === end || isBlankText(column, row)
    if (!isValid(column.validity, row) || isEmpty) {
      builder.appendNull()
      continue
    }
    const reason = append(column.bytes, start, end)
    if (reason === undefined) continue
    builder.appendNull()
    failures.push({ row, field: name, value: columnCellText(column as Column, row), reason })
  }
  const columns = batch.columns.toSpliced(index, 1)
  return withoutFailures(batch, { ...batch, schema, columns, geometry: builder.finish() }, failures)
}

/** Appends one geometry, or returns the reason and appends nothing. */
type Appender = (bytes: Uint8Array, start: number, end: number) => string | undefined

function misfit(hasZ: boolean, hasM: boolean, shape: GeometryShape): string | undefined {
  const isMore = (hasZ && !shape.hasZ) || (hasM && !shape.hasM)
  return isMore ? `The geometry has ${hasZ && !shape.hasZ ? 'Z' : 'M'}, which the column has not` : undefined
}

function refusal(error: unknown): string {
  if (error instanceof GeometryError) return error.message
  throw error
}

function wktAppender(builder: GeometryBuilder, shape: GeometryShape): Appender {
  const reader = new WktReader({ ...shape, isMulti: false })
  return (bytes, start, end) => {
    const rows = builder.length
    try {
      reader.read(bytes, start, end, builder)
    } catch (error) {
      return refusal(error)
    }
    const reason = misfit(reader.hasZ, reader.hasM, shape)
    if (reason !== undefined) builder.truncate(rows)
    return reason
  }
}

function wkbAppender(builder: GeometryBuilder, shape: GeometryShape): Appender {
  return (bytes, start, end) => {
    const rows = builder.length
    const at = builder.byteLength
    try {
      builder.appendWkb(bytes, start, end)
    } catch (error) {
      return refusal(error)
    }
    const thousands = Math.floor(builder.view.getUint32(at + 1, true) / 1000)
    const reason = misfit(thousands === 1 || thousands === 3, thousands >= 2, shape)
    if (reason !== undefined) builder.truncate(rows)
    return reason
  }
}
