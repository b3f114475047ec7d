import { invalid } from '../core/errors/errors.ts'
import { filterLanguages } from '../filters/filter-languages.ts'
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

const names = filterLanguages.map(({ name }) => name)

/** Values of `filter-lang` in an API description. */
export const filterLanguageNames = `\`${names[0]}\` (default) or ${names
  .slice(1)
  .map((name) => `\`${name}\``)
  .join(', ')}`

/**
 * The filter of a request to a collection with this schema; undefined where it has none. Throws `invalid-filter`,
 * `unsupported-filter`, `malformed-json` and `unknown-crs`.
 */
export function readFilterQuery(parameters: FilterParameters, schema: Schema): RequestFilter | undefined {
  const name = parameters['filter-lang'] ?? filterLanguages[0].name
  const language = filterLanguages.find((one) => one.name === name)
  if (language === undefined)
    throw invalid(
      'invalid-parameter',
      `filter-lang "${name.slice(0, 60)}" is not supported: expected ${names.join(' or ')}`,
    )
  const named = parameters['filter-crs']
  const crs = named === undefined ? crs84 : parseCrsUri('filter-crs', named)
  if (parameters.filter === undefined) return undefined
  const parsed = language.parse(parameters.filter)
  const written = crs.isYx ? swapAxes(parsed) : parsed
  if (isInDegrees(crs.srs)) requireLatitudes(written)
  return toRequestFilter(written, schema, crs.srs)
}
