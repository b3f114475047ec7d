import { readString } from './rest-client.ts'

/**
 * Formats rows as a text table, columns as wide as their widest cell; columns named in `right` are
 * right-aligned.
 */
export function textTable(head: string[], rows: string[][], right: string[] = []): string {
  const widths = head.map((title, at) => Math.max(...[head, ...rows].map((row) => width(row[at] ?? title))))
  const line = (cells: string[]): string =>
    cells
      .map((cell, at) => pad(cell, widths[at] ?? 0, right.includes(head[at] ?? '')))
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.map((size) => '-'.repeat(size))), ...rows.map(line)].join('\n')
}

function pad(text: string, size: number, isRight: boolean): string {
  const blanks = ' '.repeat(Math.max(0, size - width(text)))
  return isRight ? blanks + text : text + blanks
}

function width(text: string): number {
  return [...text].length
}

/** Formats objects as a table of some of their fields, or reports that there are none. */
export function listText(plural: string, columns: string[], objects: unknown[]): string {
  if (objects.length === 0) return `There are no ${plural}`
  return textTable(
    columns,
    objects.map((one) => columns.map((column) => readString(one, column))),
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
