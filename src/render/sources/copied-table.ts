import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import { createColumnBuilder } from '../../geo/column-builder.ts'
import type { Attribute, Schema } from '../../geo/schema.ts'
import { dateText, timestampText, timeText } from '../../geo/time-text.ts'
import type { FeaturePage, ShownColumns } from '../../stores/index.ts'

/** Name of the table in the copy. */
export const copiedTable = 'features'
const idColumn = 'id'

/** Generates column names that are unique, valid and short for any layer. */
const columnName = (index: number): string => `a${index}`

/** Returns the mapping of a copy's columns to the layer's attribute names. */
export function shownColumns({ attributes }: Schema): ShownColumns {
  const names = attributes.map(({ name }, index) => [columnName(index), name] as const)
  return { id: idColumn, names: Object.fromEntries(names) }
}

/**
 * Returns the schema of the copy: the ids of the features, then their attributes as encoded in tiles, where
 * times are text.
 */
export function copiedSchema({ attributes, geometry }: Schema): Schema {
  if (geometry === undefined) throw new Error('A table without geometry has no copy')
  const columns = attributes.map(
    ({ type }, index): Attribute => ({ name: columnName(index), type: isTime(type) ? 'text' : type }),
  )
  return {
    attributes: [{ name: idColumn, type: 'text' }, ...columns],
    geometry: { ...geometry, name: 'geom', type: 'Geometry', crs: { srs: 'EPSG:3857' } },
  }
}

function isTime(type: Attribute['type']): boolean {
  return type === 'date' || type === 'time' || type === 'timestamp'
}

/** Converts a page to a batch of the copy. */
export function copyPage({ batch, ids }: FeaturePage): FeatureBatch {
  const columns = batch.columns.map((column) =>
    isTime(column.type) ? timesAsText(column, batch.rowCount) : column,
  )
  return { ...batch, schema: copiedSchema(batch.schema), columns: [textColumn(ids), ...columns] }
}

function textColumn(texts: readonly (string | undefined)[]): Column {
  const builder = createColumnBuilder('text', texts.length)
  for (const text of texts) {
    if (text === undefined) builder.appendNull()
    else if (builder.kind === 'var') builder.appendString(text)
  }
  return builder.finish()
}

function timesAsText(column: Column, rowCount: number): Column {
  const textOf = (row: number): string | undefined => {
    if (!isValid(column.validity, row)) return undefined
    const value = columnValue(column, row)
    if (column.type === 'date') return dateText(value as number)
    return column.type === 'time' ? timeText(value as bigint) : timestampText(value as bigint)
  }
  return textColumn(Array.from({ length: rowCount }, (_, row) => textOf(row)))
}
