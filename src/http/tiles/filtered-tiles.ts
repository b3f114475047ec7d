import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { LayerRecord } from '../../catalog/records.ts'
import { defined } from '../../lib/defined.ts'
import { invalid } from '../../lib/errors.ts'
import type { RequestFilter } from '../../stores/reading/request-filter.ts'
import { readFilterQuery } from '../filter-query.ts'

/** Query parameters of tiles that show some of the features. */
export const tileFilter = {
  filter: Type.Optional(
    Type.String({
      description:
        'Which features of the one layer are shown, in CQL2, as at `/ogc/collections/<layer>/items`. Such tiles are made for each request',
    }),
  ),
  'filter-lang': Type.Optional(Type.String({ description: '`cql2-text` (default) or `cql2-json`' })),
  'filter-crs': Type.Optional(Type.String({ description: 'Of geometries in the filter; default CRS84' })),
}
const TileFilterQuery = Type.Object(tileFilter)
export type TileFilter = Static<typeof TileFilterQuery>

/** Undefined where all features are shown. Throws `Failure` for a filter that cannot be taken. */
export function filterOf(
  query: TileFilter & { version?: string },
  [layer, ...others]: readonly LayerRecord[],
): RequestFilter | undefined {
  if (query.filter === undefined || layer === undefined) return undefined
  if (others.length > 0 || query.version !== undefined || layer.details.kind === 'raster')
    throw invalid(
      'invalid-parameter',
      'filter goes with one layer of features as it is now: without other layers and without version',
    )
  return readFilterQuery(query, layer.details.schema)
}

/** The same parameters for an address; empty where nothing is filtered. */
export function filterText(query: TileFilter): string {
  const given = defined({
    filter: query.filter,
    'filter-lang': query['filter-lang'],
    'filter-crs': query['filter-crs'],
  })
  return new URLSearchParams(given).toString().replaceAll('+', '%20')
}
