import { Type } from 'typebox'
import type { Attribute, Schema } from '../geo/schema.ts'
import { findConverter } from './cell-converters.ts'
import { fromJavaClass } from './java-class.ts'
import { attributeName, getAttributeIndex, textParameter } from './parameters.ts'
import type { CellConverter } from './replace-column.ts'
import { convertColumn, replaceAttribute } from './replace-column.ts'
import type { TransformSpec, VectorTransform } from './transform.ts'
import { TransformError } from './transform.ts'

interface Plan {
  index: number
  /** Undefined where the column has the wanted type already. */
  convert: CellConverter | undefined
  schema: Schema
}

function plan(schema: Schema, spec: TransformSpec): Plan {
  const index = getAttributeIndex(schema, textParameter(spec, 'field'))
  const { name, type, source, example, isNullable } = schema.attributes[index] as Attribute
  const className = textParameter(spec, 'target')
  const target = fromJavaClass(className)
  if (target === undefined) throw new TransformError(`Unknown class "${className}"`, 'unknown-class')
  if ('geometry' in target) {
    throw new TransformError(`Field "${name}" cannot become a geometry (${className})`, 'unsuitable-field')
  }
  if (target.attribute === type && target.scale === undefined) return { index, convert: undefined, schema }
  const convert = findConverter(
    type,
    target.attribute,
    target.scale === undefined ? {} : { scale: target.scale },
  )
  if (convert === undefined) {
    throw new TransformError(
      `Field "${name}" holds ${type} values, which cannot become ${target.attribute}`,
      'unsuitable-field',
    )
  }
  const attribute: Attribute = {
    name,
    type: target.attribute,
    ...(target.scale === undefined ? {} : { scale: target.scale }),
    ...(source === undefined ? {} : { source }),
    ...(example === undefined ? {} : { example }),
    ...(isNullable === undefined ? {} : { isNullable }),
  }
  return { index, convert, schema: replaceAttribute(schema, index, attribute) }
}

/** Another type for one attribute: converted without loss, or the row is rejected. */
export const attributeRemap: VectorTransform = {
  type: 'AttributeRemapTransform',
  kind: 'vector',
  phase: 'inline',
  parameters: Type.Object({ field: attributeName, target: attributeName }),
  show: (spec) => ({ field: textParameter(spec, 'field'), target: textParameter(spec, 'target') }),
  outputSchema: (schema, spec) => plan(schema, spec).schema,
  prepare: async (schema, spec) => {
    const { index, convert, schema: changed } = plan(schema, spec)
    if (convert === undefined) return { schema, apply: (batch) => batch }
    return { schema: changed, apply: (batch) => convertColumn(batch, index, changed, convert) }
  },
}
