import { Type } from 'typebox'
import type { Attribute, Schema } from '../geo/schema.ts'
import { attributeIndex } from '../geo/schema.ts'
import { findConverter } from './cell-converters.ts'
import type { JavaClassType } from './java-class.ts'
import { fromJavaClass } from './java-class.ts'
import { attributeName, getAttributeIndex, meaningText, textParameter } from './parameters.ts'
import { fieldToGeometry, retypeGeometry } from './remap-to-geometry.ts'
import type { CellConverter } from './replace-column.ts'
import { convertBatchColumn, replaceAttribute } from './replace-column.ts'
import type { BatchMapper, ChainOptions, TransformSpec, VectorTransform } from './transform.ts'
import { TransformError } from './transform.ts'

interface Plan {
  index: number
  /** Undefined if the column already has the requested type. */
  convert: CellConverter | undefined
  schema: Schema
}

function targetOf(spec: TransformSpec): JavaClassType {
  const className = textParameter(spec, 'target')
  const target = fromJavaClass(className)
  if (target === undefined) throw new TransformError(`Unknown class "${className}"`, 'unknown-class')
  return target
}

/** Returns the mapping of batches; the field may also be the geometry itself. */
function mapperOf(schema: Schema, spec: TransformSpec, options: ChainOptions): BatchMapper {
  const field = textParameter(spec, 'field')
  const target = targetOf(spec)
  const { geometry } = schema
  if ('geometry' in target) {
    return geometry?.name === field && attributeIndex(schema, field) < 0
      ? retypeGeometry(schema, geometry, target.geometry)
      : fieldToGeometry(schema, getAttributeIndex(schema, field), target.geometry, options)
  }
  const { index, convert, schema: changed } = plan(schema, spec, target)
  if (convert === undefined) return { schema, apply: (batch) => batch }
  return { schema: changed, apply: (batch) => convertBatchColumn(batch, index, changed, convert) }
}

type AttributeTarget = Extract<JavaClassType, { attribute: unknown }>

function plan(schema: Schema, spec: TransformSpec, target: AttributeTarget): Plan {
  const index = getAttributeIndex(schema, textParameter(spec, 'field'))
  const { name, type, source, example, isNullable } = schema.attributes[index] as Attribute
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
    scale: target.scale,
    source,
    example,
    isNullable,
  }
  return { index, convert, schema: replaceAttribute(schema, index, attribute) }
}

/**
 * Changes the type of one attribute or the geometry: converted without loss, or the row is rejected. A
 * geometry class creates the geometry from a field with WKT or WKB.
 */
export const attributeRemap: VectorTransform = {
  type: 'AttributeRemapTransform',
  kind: 'vector',
  phase: 'inline',
  example: {
    spec: { type: 'AttributeRemapTransform', field: 'count', target: 'java.lang.Integer' },
    rows: 'name,count\nRome,3\nBern,5.0\nOslo,5.5\n',
  },
  parameters: Type.Object({ field: attributeName, target: meaningText('class') }),
  show: (spec) => ({ field: textParameter(spec, 'field'), target: textParameter(spec, 'target') }),
  outputSchema: (schema, spec, options) => mapperOf(schema, spec, options).schema,
  prepare: async (schema, spec, context) => mapperOf(schema, spec, context),
}
