import type { LabelName, NamedResource } from './names.ts'
import { distinctIds, numbersOf } from './names.ts'
import type { RowTable } from './row-table.ts'
import type { ResolvedQuery } from './series-sql.ts'

export interface RowNames {
  query: ResolvedQuery
  labels: Map<number, LabelName>
  resources: Map<number, NamedResource>
  /** Number of periods. */
  periods: number
}

/** Returns row indexes sorted by period, then by descending value, then by name. */
export function orderRows(rows: RowTable, values: Float64Array, names: RowNames): Uint32Array {
  const ranks = ranksOf(rows, names)
  const periods = rows.column('period')
  const ends = new Uint32Array(names.periods + 1)
  for (const period of periods) ends[period + 1] = (ends[period + 1] ?? 0) + 1
  for (let period = 1; period <= names.periods; period += 1)
    ends[period] = (ends[period] ?? 0) + (ends[period - 1] ?? 0)
  const next = ends.slice()
  const order = new Uint32Array(rows.length)
  periods.forEach((period, row) => {
    const rank = next[period] ?? 0
    order[rank] = row
    next[period] = rank + 1
  })
  for (let period = 0; period < names.periods; period += 1) {
    const part = order.subarray(ends[period] ?? 0, ends[period + 1] ?? 0)
    if (part.length > 1)
      part.sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || (ranks[a] ?? 0) - (ranks[b] ?? 0))
  }
  return order
}

/** Returns the rank of each row's names among all names: by label or user, then by resource. */
function ranksOf(rows: RowTable, { query, labels, resources }: RowNames): Float64Array {
  const nameOf = {
    label: (id: number) => labels.get(id)?.name ?? '',
    user: (id: number) => labels.get(id)?.user ?? '',
    resource: (id: number) => resources.get(id)?.name ?? '',
    event_type: (id: number) => String(id).padStart(2, '0'),
  }
  const { keys } = query.shape
  const columns = keys.map((kind, index) => rankColumn(rows, index === 0 ? 'key' : 'innerKey', nameOf[kind]))
  if (keys.length === 2) columns.reverse()
  const ranks = new Float64Array(rows.length)
  for (const column of columns)
    for (let row = 0; row < rows.length; row += 1)
      ranks[row] = (ranks[row] ?? 0) * rows.length + (column[row] ?? 0)
  return ranks
}

function rankColumn(rows: RowTable, column: 'key' | 'innerKey', nameOf: (id: number) => string): Uint32Array {
  const ids = rows.column(column)
  const named = [...distinctIds(ids)].map((id) => ({ id, name: nameOf(id) }))
  named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id))
  const ranks = new Map(named.map(({ id }, rank) => [id, rank]))
  return numbersOf(ids, ranks)
}
