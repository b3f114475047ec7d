import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue } from '../../geo/column.ts'
import type { Attribute } from '../../geo/schema.ts'
import { dateText, timestampText, timeText } from '../../geo/time-text.ts'

/** Returns a value for people and JSON: dates and times as ISO 8601 text. */
function shownValue(column: Column, row: number): unknown {
  const value = columnValue(column, row)
  if (value === null) return null
  if (column.type === 'date') return dateText(Number(value))
  if (column.type === 'time') return timeText(BigInt(value as bigint))
  return column.type === 'timestamp' ? timestampText(BigInt(value as bigint)) : value
}

/** Returns the values of a source row by attribute name. */
export function rowProperties(batch: FeatureBatch, row: number): Record<string, unknown> {
  return propertiesBy(({ name }) => name, batch, row)
}

/** Returns the values of a transformed row, by their names in the source. */
export function sourceProperties(batch: FeatureBatch, row: number): Record<string, unknown> {
  return propertiesBy(({ name, source = name }) => source, batch, row)
}

function propertiesBy(
  nameOf: (attribute: Attribute) => string,
  { schema, columns }: FeatureBatch,
  row: number,
): Record<string, unknown> {
  return Object.fromEntries(
    schema.attributes.map((attribute, index) => {
      const column = columns[index]
      return [nameOf(attribute), column === undefined ? null : shownValue(column, row)]
    }),
  )
}

/** Returns the geometry of a row as WKB, if any. */
export function rowGeometry(batch: FeatureBatch, row: number): { geometry?: Uint8Array } {
  const column = batch.geometry
  if (column === undefined) return {}
  const bytes = column.bytes.slice(column.offsets[row], column.offsets[row + 1])
  return bytes.length === 0 ? {} : { geometry: bytes }
}
