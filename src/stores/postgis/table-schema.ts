import type { ClientBase } from 'pg'
import type { Schema } from '../../geo/schema.ts'
import { findCrsOfSrid } from './srid.ts'
import type { TableFacts } from './table-facts.ts'

export interface DescribedSchema {
  schema: Schema
}

/**
 * Returns the schema without a primary key that the server numbers: such a key is the feature id, not an
 * attribute.
 */
export async function schemaOf(client: ClientBase, facts: TableFacts): Promise<DescribedSchema> {
  const { geometry } = facts
  const attributes = facts.columns
    .filter(({ name, isNumbered, isReadable }) => isReadable && !(isNumbered && name === facts.primaryKey))
    .map(({ name, attribute, isNotNull }) => ({
      ...(attribute ?? { name, type: 'text' as const }),
      ...(isNotNull ? { isNullable: false } : {}),
    }))
  if (geometry === undefined) return { schema: { attributes, geometry: undefined } }
  const { type, hasZ, hasM } = geometry.rules
  const crs = await findCrsOfSrid(client, geometry.srid)
  return { schema: { attributes, geometry: { name: geometry.name, type, hasZ, hasM, crs } } }
}
