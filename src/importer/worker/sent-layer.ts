import { formats } from '../../formats/registry.ts'
import type { LayerDescription } from '../../formats/worker.ts'
import type { Attribute, GeometryField, Schema } from '../../geo/schema.ts'
import type { LoadSource } from './load-plan.ts'

/**
 * Returns the source for reading a file with corrected rows. If its format infers column types from texts, a
 * few rows may suggest other types than the source of the task; the texts are then read as texts and
 * converted to the source types.
 */
export function sentSource(source: LoadSource, schema: Schema): LoadSource {
  if (source.kind !== 'file') return source
  const isByText = formats.find(({ name }) => name === source.format)?.findsTypesByText === true
  return isByText ? { ...source, layer: asTexts(source.layer, schema) } : source
}

function asTexts(layer: LayerDescription, { geometry }: Schema): LayerDescription {
  const field = layer.schema.geometry ?? findGeometry(layer.schema, geometry)
  const attributes = layer.schema.attributes
    .filter(({ name }) => name !== field?.name)
    .map(({ name, source }): Attribute => ({ name, type: 'text', source }))
  return { ...layer, schema: { attributes, geometry: field } }
}

/** Returns the column of the source's geometry if not all of its texts are geometries. */
function findGeometry(
  { attributes }: Schema,
  geometry: GeometryField | undefined,
): GeometryField | undefined {
  return attributes.some(({ name }) => name === geometry?.name) ? geometry : undefined
}
