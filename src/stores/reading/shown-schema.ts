import type { Schema } from '../../geo/schema.ts'
import type { PropertySelection } from './page-wish.ts'

/** The schema of what is shown of features; without a selection all of it. */
export function shownSchema(schema: Schema, selection: PropertySelection | undefined): Schema {
  if (selection === undefined) return schema
  return {
    attributes: schema.attributes.filter(({ name }) => selection.attributes.includes(name)),
    geometry: selection.hasGeometry ? schema.geometry : undefined,
  }
}
