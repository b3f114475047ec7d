import { Type } from 'typebox'
import type { Axis } from '../core/values/degrees-text.ts'
import { parseDegrees } from '../core/values/degrees-text.ts'
import { parseNumber } from '../core/values/number-text.ts'
import type { FeatureBatch } from '../geo/batch.ts'
import type { Column, FixedColumn, VarColumn } from '../geo/column.ts'
import { isBlankText, isValid } from '../geo/column.ts'
import { VarBuilder } from '../geo/column-builder.ts'
import type { GeometryColumn } from '../geo/geometry-builder.ts'
import { GeometryBuilder } from '../geo/geometry-builder.ts'
import type { Attribute, Schema } from '../geo/schema.ts'
import { attributeName, getAttributeIndex, meaningText, textParameter } from './parameters.ts'
import type { RowFailure } from './replace-column.ts'
import { columnCellText, withoutFailures } from './replace-column.ts'
import type { ChainOptions, TransformSpec, VectorTransform } from './transform.ts'
import { TransformError } from './transform.ts'

const numeric: readonly string[] = ['int16', 'int32', 'int64', 'float32', 'float64', 'decimal', 'text']
const defaultName = 'location'
const withComma = /^\s*[-+]?\d{1,40}(?:,\d{0,40})?\s*$/
const pairOfCommas = /^\s*[([]?\s*([-+\d,]{1,40})\s*(?:[;/]\s*|\s)([-+\d,]{1,40})\s*[)\]]?\s*$/
const pairPattern = /^\s*[([]?\s*([-+\d.eE]{1,40})\s*(?:[,;]\s*|\s)([-+\d.eE]{1,40})\s*[)\]]?\s*$/

type Notation = 'point' | 'comma' | 'sexagesimal'

interface Plan {
  schema: Schema
  lat: number
  lng: number
  latName: string
  lngName: string
  /** True if both are in one text, latitude first. */
  isPair: boolean
  /**
   * Notation of numbers in texts: `comma` has a decimal comma and no point, `sexagesimal` degrees with
   * minutes and seconds.
   */
  notation: Notation
  /** True if the old geometry becomes a binary attribute, the last one. */
  keepsGeometry: boolean
}

function coordinateIndex(schema: Schema, field: string): number {
  const index = getAttributeIndex(schema, field)
  const { type } = schema.attributes[index] as Attribute
  if (numeric.includes(type)) return index
  throw new TransformError(`Field "${field}" holds ${type} values, not numbers`, 'unsuitable-field')
}

function preserves(spec: TransformSpec): boolean {
  return String(spec.preserveGeometry).toLowerCase() === 'true'
}

function isCombined(spec: TransformSpec): boolean {
  return String(spec.combined).toLowerCase() === 'true'
}

function hasDecimalComma(spec: TransformSpec): boolean {
  return String(spec.decimalComma).toLowerCase() === 'true'
}

function isSexagesimal(spec: TransformSpec): boolean {
  return String(spec.sexagesimal).toLowerCase() === 'true'
}

function notationOf(spec: TransformSpec): Notation {
  if (!isSexagesimal(spec)) return hasDecimalComma(spec) ? 'comma' : 'point'
  if (isCombined(spec))
    throw new TransformError('With "sexagesimal", latField and lngField must be different fields')
  return 'sexagesimal'
}

function plan(schema: Schema, spec: TransformSpec, options: ChainOptions): Plan {
  const latName = textParameter(spec, 'latField')
  const lngName = textParameter(spec, 'lngField')
  const lat = coordinateIndex(schema, latName)
  const lng = coordinateIndex(schema, lngName)
  const isPair = isCombined(spec)
  if (isPair && (lat !== lng || schema.attributes[lat]?.type !== 'text')) {
    throw new TransformError(
      'With "combined", latField and lngField must be the same text field',
      'unsuitable-field',
    )
  }
  if (lat === lng && !isPair) throw new TransformError(`latField and lngField are both "${latName}"`)
  const name = textParameter(spec, 'pointFieldName') || defaultName
  const old = schema.geometry
  const keepsGeometry = old !== undefined && preserves(spec)
  const attributes = schema.attributes.filter((_, index) => index !== lat && index !== lng)
  if (keepsGeometry) attributes.push({ name: old.name, type: 'binary' })
  if (attributes.some((attribute) => attribute.name === name)) {
    throw new TransformError(`A field "${name}" exists already; set pointFieldName to another name`)
  }
  const crs = old?.crs ?? options.declaredCrs
  const geometry = { name, type: 'Point' as const, hasZ: false, hasM: false, crs }
  const ways = { isPair, notation: notationOf(spec), keepsGeometry }
  return { schema: { attributes, geometry }, lat, lng, latName, lngName, ...ways }
}

/** Returns a coordinate; NaN for an empty cell, undefined for anything but a finite number. */
function coordinate(column: Column, row: number, notation: Notation, axis: Axis): number | undefined {
  if (column.nullCount > 0 && !isValid(column.validity, row)) return Number.NaN
  if (column.kind === 'var') {
    const { bytes, offsets } = column as VarColumn
    const start = offsets[row] as number
    const end = offsets[row + 1] as number
    if (isBlankText(column, row)) return Number.NaN
    if (notation === 'point' || column.type !== 'text') return parseNumber(bytes, start, end)
    if (notation === 'comma') return numberWithComma(columnCellText(column, row))
    return parseNumber(bytes, start, end) ?? parseDegrees(columnCellText(column, row) ?? '', axis)
  }
  const value =
    column.kind === 'big' ? Number(column.values[row]) : ((column as FixedColumn).values[row] as number)
  return Number.isFinite(value) ? value : undefined
}

/** Returns undefined for anything else: a point may separate thousands. */
function numberWithComma(text = ''): number | undefined {
  return withComma.test(text) ? Number(text.replace(',', '.')) : undefined
}

/**
 * Parses two numbers in one text, such as `52.1, 13.2` or `(52.1 13.2)`; NaN for an empty cell, undefined for
 * invalid text.
 */
function coordinatePair(
  column: Column,
  row: number,
  notation: Notation,
): [number | undefined, number | undefined] {
  const isNull = column.nullCount > 0 && !isValid(column.validity, row)
  if (isNull || isBlankText(column, row)) return [Number.NaN, Number.NaN]
  const hasCommas = notation === 'comma'
  const pattern = hasCommas ? pairOfCommas : pairPattern
  const [, first = '', second = ''] = pattern.exec(columnCellText(column, row) ?? '') ?? []
  if (hasCommas) return [numberWithComma(first), numberWithComma(second)]
  const [y, x] = [first, second].map((text) => {
    const bytes = Buffer.from(text)
    return parseNumber(bytes, 0, bytes.length)
  })
  return [y, x]
}

function geometryAsBinary(geometry: GeometryColumn, rows: number): Column {
  const builder = new VarBuilder('binary', rows)
  for (let row = 0; row < rows; row += 1) {
    if (isValid(geometry.validity, row)) {
      builder.appendBytes(geometry.bytes, geometry.offsets[row], geometry.offsets[row + 1])
    } else builder.appendNull()
  }
  return builder.finish()
}

function reasonOf({ isPair, notation }: Plan, axis: Axis): string {
  if (isPair)
    return `The value is not two numbers, such as "${notation === 'comma' ? '52,1 13,2' : '52.1, 13.2'}"`
  if (notation === 'sexagesimal')
    return `The value is not a ${axis} in degrees, such as ${axis === 'latitude' ? `52°31'12"N` : `13°24'18"E`}`
  return `The value is not a number${notation === 'comma' ? ' with a comma before its fraction' : ''}`
}

function makePoints(batch: FeatureBatch, made: Plan): FeatureBatch {
  const lat = batch.columns[made.lat] as Column
  const lng = batch.columns[made.lng] as Column
  const builder = new GeometryBuilder(batch.rowCount, batch.rowCount * 21)
  const failures: RowFailure[] = []
  const fail = (row: number, axis: Axis): void => {
    builder.appendNull()
    const [field, column] = axis === 'latitude' ? [made.latName, lat] : [made.lngName, lng]
    failures.push({ row, field, value: columnCellText(column, row), reason: reasonOf(made, axis) })
  }
  for (let row = 0; row < batch.rowCount; row += 1) {
    const [y, x] = made.isPair
      ? coordinatePair(lat, row, made.notation)
      : [coordinate(lat, row, made.notation, 'latitude'), coordinate(lng, row, made.notation, 'longitude')]
    if (y === undefined) fail(row, 'latitude')
    else if (x === undefined) fail(row, 'longitude')
    else if (Number.isNaN(x) || Number.isNaN(y)) builder.appendNull()
    else {
      builder.header(1, false, false)
      builder.coordinate(x, y)
      builder.endGeometry()
    }
  }
  const columns = batch.columns.filter((_, index) => index !== made.lat && index !== made.lng)
  if (made.keepsGeometry && batch.geometry !== undefined) {
    columns.push(geometryAsBinary(batch.geometry, batch.rowCount))
  }
  return withoutFailures(
    batch,
    { ...batch, schema: made.schema, columns, geometry: builder.finish() },
    failures,
  )
}

/**
 * Creates a point for each row from its longitude and latitude, which are removed. An existing geometry is
 * dropped, or with `preserveGeometry` stored as WKB in a binary attribute of its name. An empty cell gives a
 * null geometry. With `combined` both are one field whose text contains both numbers, latitude first. With
 * `decimalComma` texts are numbers such as `52,1`, with `sexagesimal` angles such as `52°31'12"N`, or plain
 * numbers of degrees.
 */
export const attributesToPointGeometry: VectorTransform = {
  type: 'AttributesToPointGeometryTransform',
  kind: 'vector',
  phase: 'inline',
  example: {
    spec: { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' },
    rows: 'name,lat,lon\nRome,41.9,12.5\nBern,46.95,7.45\n',
  },
  parameters: Type.Object({
    latField: attributeName,
    lngField: attributeName,
    pointFieldName: Type.Optional(meaningText('new-field')),
    preserveGeometry: Type.Optional(
      Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')]),
    ),
    combined: Type.Optional(Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')])),
    decimalComma: Type.Optional(Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')])),
    sexagesimal: Type.Optional(Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')])),
  }),
  show: (spec) => ({
    latField: textParameter(spec, 'latField'),
    lngField: textParameter(spec, 'lngField'),
    pointFieldName: textParameter(spec, 'pointFieldName') || defaultName,
    preserveGeometry: preserves(spec),
    combined: isCombined(spec) || undefined,
    decimalComma: hasDecimalComma(spec) || undefined,
    sexagesimal: isSexagesimal(spec) || undefined,
  }),
  outputSchema: (schema, spec, options) => plan(schema, spec, options).schema,
  prepare: async (schema, spec, context) => {
    const made = plan(schema, spec, context)
    return { schema: made.schema, apply: (batch) => makePoints(batch, made) }
  },
}
