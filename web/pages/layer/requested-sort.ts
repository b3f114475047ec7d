import { query, setQuery } from '../../lib/router.ts'
import { readSort, type Sort, sortText } from './row-order.ts'

/** Returns the order in the address; undefined: the store's order. */
export function requestedSort(): Sort | undefined {
  return readSort(query.value.get('sort') ?? '')
}

export function setSort(sort: Sort | undefined): void {
  setQuery({ sort: sort && sortText(sort) })
}
