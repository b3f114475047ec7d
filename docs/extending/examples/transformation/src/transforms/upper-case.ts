import { Type } from 'typebox'
import { columnValue } from '../geo/column.ts'
import type { VarBuilder } from '../geo/column-builder.ts'
import type { Attribute, Schema } from '../geo/schema.ts'
import { attributeName, getAttributeIndex, textParameter } from './parameters.ts'
import { convertBatchColumn } from './replace-column.ts'
import type { TransformSpec, VectorTransform } from './transform.ts'
import { TransformError } from './transform.ts'

/** The place of the field; throws where there is none, or none of text. */
function indexOf(schema: Schema, spec: TransformSpec): number {
  const index = getAttributeIndex(schema, textParameter(spec, 'field'))
  const { name, type } = schema.attributes[index] as Attribute
  if (type === 'text') return index
  throw new TransformError(`Field "${name}" holds ${type} values, not text`, 'unsuitable-field')
}

/** A text in capital letters. */
export const upperCase: VectorTransform = {
  type: 'UpperCaseTransform',
  kind: 'vector',
  phase: 'inline',
  example: { spec: { type: 'UpperCaseTransform', field: 'name' }, rows: 'name,count\nRome,3\nBern,5\n' },
  parameters: Type.Object({ field: attributeName }),
  show: (spec) => ({ field: textParameter(spec, 'field') }),
  outputSchema: (schema, spec) => {
    indexOf(schema, spec)
    return schema
  },
  prepare: async (schema, spec) => {
    const index = indexOf(schema, spec)
    return {
      schema,
      apply: (batch) =>
        convertBatchColumn(batch, index, schema, (column, row, target) => {
          ;(target as VarBuilder).appendString(String(columnValue(column, row)).toUpperCase())
          return undefined
        }),
    }
  },
}
