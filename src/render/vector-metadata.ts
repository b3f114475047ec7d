import type { LayerRecord } from '../catalog/index.ts'
import type { AttributeType } from '../geo/schema.ts'

/** Deepest zoom level in the metadata; deeper tiles can be requested too. */
const deepestZoom = 22

/** Returns the metadata of a file of a layer's vector tiles (MBTiles 1.3, "Vector tileset metadata"). */
export function vectorMetadata(layer: LayerRecord, { variant }: { variant: string }): Record<string, string> {
  const { title, abstract } = layer.details
  const shown = variant === '' ? undefined : new Set(JSON.parse(variant) as string[])
  const vector_layers = [
    { id: layer.name, fields: vectorFields(layer, shown), minzoom: 0, maxzoom: deepestZoom },
  ]
  return {
    name: title,
    format: 'pbf',
    type: 'overlay',
    version: String(layer.version),
    minzoom: '0',
    maxzoom: String(deepestZoom),
    ...(abstract === undefined ? {} : { description: abstract }),
    json: JSON.stringify({ vector_layers }),
  }
}

/** Returns the attributes in tiles with the type names of the format. */
export function vectorFields(
  { details: { schema } }: LayerRecord,
  shown?: ReadonlySet<string>,
): Record<string, string> {
  const fields = schema.attributes.filter(({ name, type }) => shown?.has(name) !== false && type !== 'binary')
  return Object.fromEntries(fields.map(({ name, type }) => [name, fieldType(type)]))
}

const numbers: readonly AttributeType[] = ['int16', 'int32', 'int64', 'float32', 'float64']

function fieldType(type: AttributeType): 'Number' | 'Boolean' | 'String' {
  if (type === 'boolean') return 'Boolean'
  return numbers.includes(type) ? 'Number' : 'String'
}
