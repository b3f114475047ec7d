import { Type } from 'typebox'
import { daysFromDate } from '../core/values/calendar.ts'
import type { FixedBuilder } from '../geo/column-builder.ts'
import { createColumnBuilder } from '../geo/column-builder.ts'
import type { Attribute, AttributeType, Schema } from '../geo/schema.ts'
import { findConverter } from './cell-converters.ts'
import { attributeName, getAttributeIndex, textParameter } from './parameters.ts'
import type { CellConverter } from './replace-column.ts'
import { convertBatchColumn, replaceAttribute } from './replace-column.ts'
import type { TransformSpec, VectorTransform } from './transform.ts'
import { TransformError } from './transform.ts'

const suitable: readonly AttributeType[] = [
  'int16',
  'int32',
  'int64',
  'float32',
  'float64',
  'decimal',
  'text',
]
const reason = 'The value is not a year from 1 to 9999'

function plan(schema: Schema, spec: TransformSpec): { index: number; schema: Schema; type: AttributeType } {
  const index = getAttributeIndex(schema, textParameter(spec, 'field'))
  const {
    type,
    maxLength: _,
    precision: __,
    scale: ___,
    ...attribute
  } = schema.attributes[index] as Attribute
  if (!suitable.includes(type)) {
    throw new TransformError(`Field "${attribute.name}" holds ${type} values, not years`, 'unsuitable-field')
  }
  return { index, type, schema: replaceAttribute(schema, index, { ...attribute, type: 'date' }) }
}

/** Reads the year as a small integer first, whatever its type. */
function yearToDate(type: AttributeType): CellConverter {
  const toYear = findConverter(type, 'int32')
  const year = createColumnBuilder('int32', 1) as FixedBuilder
  return (column, row, target) => {
    year.truncate(0)
    if (toYear === undefined || toYear(column, row, year) !== undefined) return reason
    const value = year.values[0] as number
    if (value < 1 || value > 9999) return reason
    ;(target as FixedBuilder).append(daysFromDate(value, 1, 1))
    return undefined
  }
}

/** Converts an integer (or numeric text) year column to a date column: January 1 of that year. */
export const integerFieldToDate: VectorTransform = {
  type: 'IntegerFieldToDateTransform',
  kind: 'vector',
  phase: 'inline',
  example: {
    spec: { type: 'IntegerFieldToDateTransform', field: 'year' },
    rows: 'name,year\nRome,1999\nBern,0\n',
  },
  parameters: Type.Object({ field: attributeName }),
  show: (spec) => ({ field: textParameter(spec, 'field') }),
  outputSchema: (schema, spec) => plan(schema, spec).schema,
  prepare: async (schema, spec) => {
    const { index, type, schema: changed } = plan(schema, spec)
    const convert = yearToDate(type)
    return { schema: changed, apply: (batch) => convertBatchColumn(batch, index, changed, convert) }
  },
}
