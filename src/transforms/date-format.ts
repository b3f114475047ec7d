import { Type } from 'typebox'
import { systemClock } from '../core/time/clock.ts'
import { TimeReader } from '../core/values/time-reader.ts'
import { textDateTime } from '../core/values/time-rules.ts'
import type { Column, VarColumn } from '../geo/column.ts'
import type { BigBuilder, FixedBuilder } from '../geo/column-builder.ts'
import type { Attribute, AttributeType, Schema } from '../geo/schema.ts'
import { attributeName, getAttributeIndex, textParameter } from './parameters.ts'
import type { CellConverter } from './replace-column.ts'
import { columnCellText, convertBatchColumn, replaceAttribute } from './replace-column.ts'
import type { DateFormat } from './simple-date-format.ts'
import { compileDateFormat, DatePatternError } from './simple-date-format.ts'
import type { TransformSpec, VectorTransform } from './transform.ts'
import { TransformError } from './transform.ts'

const readable: readonly AttributeType[] = ['text', 'int16', 'int32', 'int64']
const msPerDay = 86_400_000
/** Milliseconds whose microseconds are safe integers. */
const safeMs = 9_007_199_254_740

interface Plan {
  index: number
  schema: Schema
  format: DateFormat | undefined
  /** False if the field already contains dates. */
  isNeeded: boolean
}

function compile(pattern: string): DateFormat | undefined {
  if (pattern === '') return undefined
  try {
    return compileDateFormat(pattern, systemClock.now())
  } catch (error) {
    if (!(error instanceof DatePatternError)) throw error
    throw new TransformError(`Format "${pattern.slice(0, 200)}": ${error.message}`, 'invalid-date-format')
  }
}

function plan(schema: Schema, spec: TransformSpec): Plan {
  const index = getAttributeIndex(schema, textParameter(spec, 'field'))
  const { type, maxLength: _, ...attribute } = schema.attributes[index] as Attribute
  const format = compile(textParameter(spec, 'format'))
  if (type === 'date' || type === 'timestamp') return { index, schema, format, isNeeded: false }
  if (!readable.includes(type)) {
    throw new TransformError(`Field "${attribute.name}" holds ${type} values, not text`, 'unsuitable-field')
  }
  const result: AttributeType = format === undefined || format.hasTime ? 'timestamp' : 'date'
  const changed = replaceAttribute(schema, index, { ...attribute, type: result })
  return { index, schema: changed, format, isNeeded: true }
}

/** Returns the text of a cell as bytes; numbers are formatted first. */
type CellBytes = (column: Column, row: number) => { bytes: Uint8Array; start: number; end: number }

function cellBytes(): CellBytes {
  const cell = { bytes: new Uint8Array(0) as Uint8Array, start: 0, end: 0 }
  return (column, row) => {
    if (column.kind === 'var') {
      const { bytes, offsets } = column as VarColumn
      cell.bytes = bytes
      cell.start = offsets[row] as number
      cell.end = offsets[row + 1] as number
    } else {
      cell.bytes = Buffer.from(columnCellText(column, row))
      cell.start = 0
      cell.end = cell.bytes.length
    }
    return cell
  }
}

function byPattern(format: DateFormat, pattern: string): CellConverter {
  const reason = `The value does not match the format "${pattern}"`
  const find = cellBytes()
  return (column, row, target) => {
    const { bytes, start, end } = find(column, row)
    const ms = format.parse(bytes, start, end)
    if (Number.isNaN(ms)) return reason
    if (!format.hasTime) (target as FixedBuilder).append(ms / msPerDay)
    else if (Math.abs(ms) < safeMs) (target as BigBuilder).appendNumber(ms * 1000)
    else (target as BigBuilder).append(BigInt(ms) * 1000n)
    return undefined
  }
}

function byIso(): CellConverter {
  const reason = 'The value is not an ISO 8601 date or date and time'
  const find = cellBytes()
  const iso = new TimeReader(textDateTime)
  return (column, row, target) => {
    const { bytes, start, end } = find(column, row)
    if (!iso.parse(bytes, start, end)) return reason
    ;(target as BigBuilder).appendExact(iso.sinceEpoch)
    return undefined
  }
}

/** Converts text in a pattern (or ISO 8601) to a date or a timestamp in UTC. */
export const dateFormat: VectorTransform = {
  type: 'DateFormatTransform',
  kind: 'vector',
  phase: 'inline',
  example: {
    spec: { type: 'DateFormatTransform', field: 'day', format: 'dd.MM.yyyy' },
    rows: 'name,day\nRome,29.02.2024\nBern,30.02.2024\n',
  },
  parameters: Type.Object({ field: attributeName, format: Type.Optional(Type.String({ means: 'pattern' })) }),
  show: (spec) => {
    const format = textParameter(spec, 'format')
    return { field: textParameter(spec, 'field'), format: format || undefined }
  },
  outputSchema: (schema, spec) => plan(schema, spec).schema,
  prepare: async (schema, spec) => {
    const { index, schema: changed, format, isNeeded } = plan(schema, spec)
    if (!isNeeded) return { schema, apply: (batch) => batch }
    const convert = format === undefined ? byIso() : byPattern(format, textParameter(spec, 'format'))
    return { schema: changed, apply: (batch) => convertBatchColumn(batch, index, changed, convert) }
  },
}
