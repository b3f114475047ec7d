import type { LayerRecord } from '../../catalog/records.ts'
import { collectionId, jsonTypeOf } from './collection.ts'
import { isFilterable } from './property-filters.ts'

/** Layers whose addresses are described one by one: clients read the document whole. */
const mostDescribed = 200

/** What the features of one layer are described by, as those of all are. */
export interface OwnItems {
  operation: Record<string, unknown> & { parameters: readonly object[] }
  /** Names that mean something else than a property. */
  taken: ReadonlySet<string>
}

/** Addresses of the features of layers, with what each can be asked for by its properties, in OpenAPI 3.0. */
export function ownItemsPaths(
  layers: readonly LayerRecord[],
  describe: (id: string, title: string) => OwnItems,
): Record<string, object> {
  const own = layers.filter(({ details }) => details.kind === 'vector').slice(0, mostDescribed)
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

/** Clients look for the address with the id as it is; braces would be a template. */
function isPlain(id: string): boolean {
  return !/[{}/?#%]/.test(id)
}

/** By the style, and that they are no lists, clients know them as properties to filter by. */
function propertyParameters({ details: { schema } }: LayerRecord, taken: ReadonlySet<string>): object[] {
  return schema.attributes
    .filter((attribute) => isFilterable(attribute) && !taken.has(attribute.name))
    .map(({ name, type }) => ({
      ...{ name, in: 'query', required: false, style: 'form', explode: false, schema: jsonTypeOf(type) },
    }))
}
