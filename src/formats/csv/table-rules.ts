import { CellParser, textKind } from '../../lib/values/cell-kind.ts'
import { cellText } from './csv-source.ts'
import type { Dialect } from './delimiter.ts'
import { mostColumns, sampledRows } from './delimiter.ts'
import { findCellForm } from './geometry-cells.ts'

/** So many of the sampled rows must have as many cells as the first. */
const leastAgreement = 0.9
const longestName = 100
const comma = 0x2c
const encoder = new TextEncoder()
/** A number, date or time in any usual spelling: never the name of the first column. */
const figure = /^\[?[-+]?\d[\d\s.,:/TZ+-]*\]?$/

type Row = string[]

/** What a cell would be without quotes around it: anything but text. */
function isTyped(parser: CellParser, cell: string): boolean {
  const bytes = encoder.encode(`${cell}\0`)
  return parser.parse(bytes, 0, bytes.length - 1) !== textKind || findCellForm(cell) !== undefined
}

/** The names of columns, and not a row of values like the others. */
function isHeader(header: Row): boolean {
  const named = header.filter((name) => name !== '')
  const [first = ''] = named
  if (named.length < 2 || figure.test(first)) return false
  return !named.some((name) => name.length > longestName || /[\r\n]/.test(name))
}

/** Whether one column holds numbers, dates or geometries under a name that is text. */
function hasTypedColumn(header: Row, rows: readonly Row[]): boolean {
  const parser = new CellParser()
  return header.some((name, index) => {
    if (name === '' || isTyped(parser, name)) return false
    const cells = rows.flatMap((row) => row[index] || [])
    return cells.length > 0 && cells.every((cell) => isTyped(parser, cell))
  })
}

/** Lines of a log begin alike. */
function isRepeated(header: Row, [first]: readonly Row[]): boolean {
  return header.some((name, index) => name !== '' && first?.[index] === name)
}

/** Prose has a blank behind its commas, and lines that end with one. */
function isUnlikeProse(header: Row, firstLine: string): boolean {
  return !header.slice(1).includes('') && !/,[ \t]/.test(firstLine)
}

/**
 * Whether text of any kind is a table with a header: at least two columns and two rows, nine rows of ten with as many
 * cells as the header; the header names two columns at least, and its first name is no figure. Then either one column
 * holds numbers, dates or geometries alone, or all rows agree, no name is repeated by the row below it, and commas are
 * not those of prose. `sample` is the beginning in UTF-8.
 */
export function isTable(
  sample: Uint8Array,
  isWhole: boolean,
  { delimiter, columns, agreement }: Dialect,
): boolean {
  if (agreement < leastAgreement || columns < 2 || columns > mostColumns) return false
  const [header, ...rest] = Array.from(
    sampledRows(sample, isWhole, delimiter),
    (scanner): Row =>
      Array.from({ length: Math.min(scanner.cellCount, columns + 1) }, (_, cell) => cellText(scanner, cell)),
  )
  if (header === undefined || rest.length === 0) return false
  const rows = rest.filter((row) => row.length === columns)
  if (!isHeader(header)) return false
  if (hasTypedColumn(header, rows)) return true
  const firstLine = /[^\r\n]+/.exec(Buffer.from(sample).toString('latin1'))?.[0] ?? ''
  return (
    agreement === 1 && !isRepeated(header, rows) && (delimiter !== comma || isUnlikeProse(header, firstLine))
  )
}
