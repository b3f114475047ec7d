import { query } from '../../../lib/router.ts'

/** The filter that rows have to meet, as CQL2 text in the address. */
export function requestedFilter(): string | undefined {
  return query.value.get('filter') || undefined
}
