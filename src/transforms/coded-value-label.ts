import { Type } from 'typebox'
import { freeName } from '../core/text/free-name.ts'
import { isValid } from '../geo/column.ts'
import { VarBuilder } from '../geo/column-builder.ts'
import type { Attribute, Schema } from '../geo/schema.ts'
import { attributeName, getAttributeIndex, meaningText, textParameter } from './parameters.ts'
import { columnCellText } from './replace-column.ts'
import type { TransformSpec, VectorTransform } from './transform.ts'
import { TransformError } from './transform.ts'

interface Plan {
  schema: Schema
  /** Index of the column with the codes; the labels follow it. */
  index: number
  labels: Map<string, string>
}

/** Returns the labels of the parameter, or those that came with the data. */
function labelsOf({ name, labels }: Attribute, { labels: given }: TransformSpec): Map<string, string> {
  if (Array.isArray(given) && given.length > 0) {
    return new Map(
      given.map((text): [string, string] => {
        const [, code = '', label = ''] = /^([^=]*)=([\s\S]*)$/.exec(String(text)) ?? []
        return [code.trim(), label]
      }),
    )
  }
  if (labels !== undefined) return new Map(Object.entries(labels))
  throw new TransformError(
    `The values of field "${name}" have no labels in the data: set "labels" to a list of "code=label"`,
    'unsuitable-field',
  )
}

function plan(schema: Schema, spec: TransformSpec): Plan {
  const index = getAttributeIndex(schema, textParameter(spec, 'field'))
  const attribute = schema.attributes[index] as Attribute
  const names = [...schema.attributes.map(({ name }) => name), schema.geometry?.name ?? '']
  const requested = textParameter(spec, 'labelField')
  if (names.includes(requested) && requested !== '') {
    throw new TransformError(`A field "${requested}" exists already; set labelField to another name`)
  }
  const isTaken = (name: string): boolean => names.includes(name)
  const name = requested || freeName(`${attribute.name}_label`, isTaken, { separator: '_', first: 1 })
  const labels = labelsOf(attribute, spec)
  const attributes = schema.attributes.toSpliced(index + 1, 0, { name, type: 'text' })
  return { schema: { ...schema, attributes }, index, labels }
}

/**
 * Adds the labels of a coded-value domain in a text column after that of the codes. A value without a label
 * gets null.
 */
export const codedValueLabel: VectorTransform = {
  type: 'CodedValueLabelTransform',
  kind: 'vector',
  phase: 'inline',
  example: {
    spec: { type: 'CodedValueLabelTransform', field: 'kind', labels: ['1=Forest', '2=Meadow'] },
    rows: 'name,kind\nA,1\nB,2\nC,3\nD,\n',
  },
  parameters: Type.Object({
    field: attributeName,
    labelField: Type.Optional(meaningText('new-field')),
    labels: Type.Optional(Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 100_000 })),
  }),
  show: ({ labels = null, labelField = null, ...spec }) => ({
    field: textParameter(spec as TransformSpec, 'field'),
    labelField,
    labels,
  }),
  outputSchema: (schema, spec) => plan(schema, spec).schema,
  prepare: async (schema, spec) => {
    const { schema: changed, index, labels } = plan(schema, spec)
    return {
      schema: changed,
      apply: (batch) => {
        const codes = batch.columns[index]
        if (codes === undefined) throw new Error('The batch lacks a column')
        const builder = new VarBuilder('text', batch.rowCount)
        for (let row = 0; row < batch.rowCount; row += 1) {
          const label = isValid(codes.validity, row) ? labels.get(columnCellText(codes, row)) : undefined
          if (label === undefined) builder.appendNull()
          else builder.appendString(label)
        }
        return { ...batch, schema: changed, columns: batch.columns.toSpliced(index + 1, 0, builder.finish()) }
      },
    }
  },
}
