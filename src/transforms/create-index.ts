import { Type } from 'typebox'
import { attributeName, getAttributeIndex, textParameter } from './parameters.ts'
import type { VectorTransform } from './transform.ts'

/** Creates an index on one column of the loaded table; `chainIndexes` collects them for the load. */
export const createIndex: VectorTransform = {
  type: 'CreateIndexTransform',
  kind: 'vector',
  phase: 'after',
  example: { spec: { type: 'CreateIndexTransform', field: 'name' }, rows: 'name,count\nRome,3\n' },
  parameters: Type.Object({ field: attributeName }),
  show: (spec) => ({ field: textParameter(spec, 'field') }),
  outputSchema: (schema, spec) => {
    getAttributeIndex(schema, textParameter(spec, 'field'))
    return schema
  },
  prepare: async (schema) => ({ schema, apply: (batch) => batch }),
}
