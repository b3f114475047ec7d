import { readString } from '../json-views.ts'
import { textTable } from '../text-table.ts'

/** Formats objects as a table of some of their fields, or reports that there are none. */
export function listText(plural: string, columns: string[], things: unknown[]): string {
  if (things.length === 0) return `There are no ${plural}`
  return textTable(
    columns,
    things.map((one) => columns.map((column) => readString(one, column))),
  )
}

/** Formats one object: one line per field. */
export function fieldsText(fields: [name: string, value: string][]): string {
  const width = Math.max(...fields.map(([name]) => name.length))
  return fields
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join('\n')
}
