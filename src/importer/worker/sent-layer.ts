import type { LayerDescription } from '../../formats/format.ts'
import { formats } from '../../formats/registry.ts'
import type { Attribute, GeometryField, Schema } from '../../geo/schema.ts'
import { defined } from '../../lib/defined.ts'
import type { LoadSource } from './load-plan.ts'

/**
 * What is read of a file with mended rows. Where its format finds the types of columns by their texts, few rows may look
 * like another type than the source of their task has: the texts are taken, to become what the source has.
 */
export function sentSource(source: LoadSource, wanted: Schema): LoadSource {
  if (source.kind !== 'file') return source
  const isByText = formats.find(({ name }) => name === source.format)?.findsTypesByText === true
  return isByText ? { ...source, layer: asTexts(source.layer, wanted) } : source
}

function asTexts(layer: LayerDescription, { geometry }: Schema): LayerDescription {
  const field = layer.schema.geometry ?? findGeometry(layer.schema, geometry)
  const attributes = layer.schema.attributes
    .filter(({ name }) => name !== field?.name)
    .map(({ name, source }): Attribute => ({ name, type: 'text', ...defined({ source }) }))
  return { ...layer, schema: { attributes, geometry: field } }
}

/** The column of the source's geometry, where its texts are not all geometries. */
function findGeometry(
  { attributes }: Schema,
  geometry: GeometryField | undefined,
): GeometryField | undefined {
  return attributes.some(({ name }) => name === geometry?.name) ? geometry : undefined
}
