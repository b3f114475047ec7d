import { query, setQuery } from '../../lib/router.ts'
import { readSort, type Sort, sortText } from './row-order.ts'

/** The order that the address says; undefined: as the store has them. */
export function wantedSort(): Sort | undefined {
  return readSort(query.value.get('sort') ?? '')
}

export function setSort(sort: Sort | undefined): void {
  setQuery({ sort: sort && sortText(sort) })
}
