import { inColumns } from '../../filters/filter.ts'
import { columnValue } from '../../geo/column.ts'
import { attributeIndex } from '../../geo/schema.ts'
import type { FeaturePage, TileQuery } from '../store.ts'
import type { RequestFilter } from './request-filter.ts'
import type { ShownColumns } from './tile-request.ts'

/** Returns the table columns to read for the requested attributes. */
export function readColumns(
  attributes: readonly string[] | undefined,
  columns: ShownColumns | undefined,
): Pick<TileQuery, 'attributes'> {
  if (attributes === undefined) return {}
  if (columns === undefined) return { attributes }
  const requested = new Set(attributes)
  const names = Object.entries(columns.names).filter(([, shown]) => requested.has(shown))
  return { attributes: [columns.id, ...names.map(([name]) => name)] }
}

/** Returns the page with the ids stored in its table, and with the public column names. */
export function shownPage({ batch }: FeaturePage, { id, names }: ShownColumns): FeaturePage {
  const columnIndex = attributeIndex(batch.schema, id)
  const column = batch.columns[columnIndex]
  const ids = Array.from({ length: batch.rowCount }, (_, row) =>
    column === undefined ? '' : String(columnValue(column, row)),
  )
  const isShown = (_: unknown, index: number): boolean => index !== columnIndex
  const attributes = batch.schema.attributes
    .filter(isShown)
    .map((attribute) => ({ ...attribute, name: names[attribute.name] ?? attribute.name }))
  const shown = { ...batch, schema: { ...batch.schema, attributes }, columns: batch.columns.filter(isShown) }
  return { batch: shown, ids }
}

/** Returns the filter with the column names of the table. */
export function filterInTable(filter: RequestFilter, columns: ShownColumns | undefined): RequestFilter {
  if (columns === undefined) return filter
  const names = new Map(Object.entries(columns.names).map(([name, shown]) => [shown, name]))
  return { ...filter, requested: inColumns(filter.requested, (name) => names.get(name) ?? name) }
}
