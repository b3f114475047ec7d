import type { LayerRecord } from '../../catalog/index.ts'
import { collectionId, jsonTypeOf } from './collection.ts'
import { isFilterable } from './property-filters.ts'

/** Maximum number of layers with paths of their own: clients read the whole document. */
const maxDescribed = 200

/** Description of the features of one layer, in the form used for all. */
export interface ItemsDescription {
  operation: Record<string, unknown> & { parameters: readonly object[] }
  /** Names that mean something else than a property. */
  taken: ReadonlySet<string>
}

/** Returns paths of layers' features, with query parameters for their properties, in OpenAPI 3.0. */
export function ownItemsPaths(
  layers: readonly LayerRecord[],
  describe: (id: string, title: string) => ItemsDescription,
): Record<string, object> {
  const own = layers.filter(({ details }) => details.kind === 'vector').slice(0, maxDescribed)
  const paths = own.map((layer): [string, object] => {
    const id = collectionId(layer)
    const { operation, taken } = describe(id, layer.details.title)
    const parameters = [...operation.parameters, ...propertyParameters(layer, taken)]
    return [
      `/collections/${isPlain(id) ? id : encodeURIComponent(id)}/items`,
      { get: { ...operation, parameters } },
    ]
  })
  return Object.fromEntries(paths)
}

/** Clients look for the path with the literal id; braces would be a template. */
function isPlain(id: string): boolean {
  return !/[{}/?#%]/.test(id)
}

/** Clients recognize filter properties by their style and because they are not lists. */
function propertyParameters({ details: { schema } }: LayerRecord, taken: ReadonlySet<string>): object[] {
  return schema.attributes
    .filter((attribute) => isFilterable(attribute) && !taken.has(attribute.name))
    .map(({ name, type }) => ({
      name,
      in: 'query',
      required: false,
      style: 'form',
      explode: false,
      schema: jsonTypeOf(type),
    }))
}
