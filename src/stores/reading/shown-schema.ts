import type { Schema } from '../../geo/schema.ts'
import type { PropertySelection } from './feature-page-request.ts'

/** Returns the schema of the shown properties; the whole schema without a selection. */
export function shownSchema(schema: Schema, selection: PropertySelection | undefined): Schema {
  if (selection === undefined) return schema
  return {
    attributes: schema.attributes.filter(({ name }) => selection.attributes.includes(name)),
    geometry: selection.hasGeometry ? schema.geometry : undefined,
  }
}
