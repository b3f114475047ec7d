import { invalid } from '../core/errors/errors.ts'
import { parseCql2Json } from '../filters/cql2-json.ts'
import { parseCql2Text } from '../filters/cql2-text.ts'
import { requireLatitudes } from '../filters/require-crs.ts'
import { swapAxes } from '../filters/swap-axes.ts'
import type { Schema } from '../geo/schema.ts'
import type { RequestFilter } from '../stores/reading/request-filter.ts'
import { isInDegrees, toRequestFilter } from '../stores/reading/request-filter.ts'
import { crs84, parseCrsUri } from './crs-uris.ts'

/** Query parameters of a filter (OGC 19-079r2, section 8), as text. */
export interface FilterParameters {
  filter?: string
  'filter-lang'?: string
  'filter-crs'?: string
}

const notations = new Map([
  ['cql2-text', parseCql2Text],
  ['cql2-json', parseCql2Json],
])

/**
 * The filter of a request to a collection with this schema; undefined where it has none. Throws `invalid-filter`,
 * `unsupported-filter`, `malformed-json` and `unknown-crs`.
 */
export function readFilterQuery(parameters: FilterParameters, schema: Schema): RequestFilter | undefined {
  const language = parameters['filter-lang'] ?? 'cql2-text'
  const parse = notations.get(language)
  if (parse === undefined)
    throw invalid(
      'invalid-parameter',
      `filter-lang "${language.slice(0, 60)}" is not offered: expected ${[...notations.keys()].join(' or ')}`,
    )
  const named = parameters['filter-crs']
  const crs = named === undefined ? crs84 : parseCrsUri('filter-crs', named)
  if (parameters.filter === undefined) return undefined
  const given = parse(parameters.filter)
  const written = crs.isYx ? swapAxes(given) : given
  if (isInDegrees(crs.srs)) requireLatitudes(written)
  return toRequestFilter(written, schema, crs.srs)
}
