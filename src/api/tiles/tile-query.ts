import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { LayerRecord } from '../../catalog/index.ts'
import { invalid } from '../../core/errors/errors.ts'
import type { RequestFilter } from '../../stores/reading/request-filter.ts'
import { filterLanguageNames, readFilterQuery } from '../filter-query.ts'

/** Query parameters of tiles that show some of the features. */
export const tileFilter = {
  filter: Type.Optional(
    Type.String({
      description:
        'Filter in CQL2, as at `/ogc/collections/<layer>/items`, for tiles of a single layer. Filtered tiles are not cached',
    }),
  ),
  'filter-lang': Type.Optional(Type.String({ description: filterLanguageNames })),
  'filter-crs': Type.Optional(Type.String({ description: 'Of geometries in the filter; default CRS84' })),
}
const TileFilterQuery = Type.Object(tileFilter)
export type TileFilter = Static<typeof TileFilterQuery>

/** Returns the filter of a tile; undefined if all features are shown. Throws `Failure` for an invalid filter. */
export function filterOf(
  query: TileFilter & { version?: string },
  [layer, ...others]: readonly LayerRecord[],
): RequestFilter | undefined {
  if (query.filter === undefined || layer === undefined) return undefined
  if (others.length > 0 || query.version !== undefined || layer.details.kind === 'raster')
    throw invalid(
      'invalid-parameter',
      'filter needs a single layer of features: leave out other layers and version',
    )
  return readFilterQuery(query, layer.details.schema)
}

/** Returns the filter as URL parameters; empty without a filter. */
export function filterText(query: TileFilter): string {
  const parameters = new URLSearchParams()
  for (const name of ['filter', 'filter-lang', 'filter-crs'] as const)
    if (query[name] !== undefined) parameters.set(name, query[name])
  return parameters.toString().replaceAll('+', '%20')
}

/** Returns the names in `properties`; undefined if absent. A comma in a name is written `%2C`. */
export function parseProperties(url: string): string[] | undefined {
  const query = url.split('?', 2)[1]
  if (query === undefined) return undefined
  const given = query.split('&').flatMap((part) => {
    const equals = part.indexOf('=')
    return decode(equals < 0 ? part : part.slice(0, equals)) === 'properties'
      ? [equals < 0 ? '' : part.slice(equals + 1)]
      : []
  })
  if (given.length === 0) return undefined
  return [...new Set(given.flatMap((text) => text.split(',')))].filter((name) => name !== '').map(decode)
}

/** A text that cannot be decoded is not the name of an attribute. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Names of the attributes that tiles of a layer can hold, in the order of its schema. */
export function tileAttributes({ details: { schema } }: Pick<LayerRecord, 'details'>): string[] {
  return schema.attributes.filter(({ type }) => type !== 'binary').map(({ name }) => name)
}

/**
 * Returns the requested attributes that a layer has, in schema order; undefined: all, so that equal tiles are
 * cached once.
 */
export function chosenProperties(
  layer: LayerRecord,
  names: readonly string[] | undefined,
): string[] | undefined {
  if (names === undefined) return undefined
  const all = tileAttributes(layer)
  const chosen = all.filter((name) => names.includes(name))
  return chosen.length === all.length ? undefined : chosen
}

/** Those of the names that none of the layers has. */
export function unknownProperties(layers: readonly LayerRecord[], names: readonly string[] = []): string[] {
  if (names.length === 0) return []
  const known = new Set(layers.flatMap(tileAttributes))
  return names.filter((name) => !known.has(name))
}
