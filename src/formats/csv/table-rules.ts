import { CellParser, textKind } from '../../core/values/cell-kind.ts'
import { csvCellText } from './csv-source.ts'
import type { CsvDialect } from './delimiter.ts'
import { maxCsvColumns, sampledRows } from './delimiter.ts'
import { findCellForm } from './geometry-cells.ts'

/** Minimum share of the sampled rows that have as many cells as the first. */
const minAgreement = 0.9
const longestName = 100
const comma = 0x2c
const encoder = new TextEncoder()
/** A number, date or time in any usual notation: never the name of the first column. */
const figure = /^\[?[-+]?\d[\d\s.,:/TZ+-]*\]?$/

type Row = string[]

/** True if an unquoted cell would have another type than text. */
function isTyped(parser: CellParser, cell: string): boolean {
  const bytes = encoder.encode(`${cell}\0`)
  return parser.parse(bytes, 0, bytes.length - 1) !== textKind || findCellForm(cell) !== undefined
}

/** True for column names, as opposed to a row of values. */
function isHeader(header: Row): boolean {
  const named = header.filter((name) => name !== '')
  const [first = ''] = named
  if (named.length < 2 || figure.test(first)) return false
  return !named.some((name) => name.length > longestName || /[\r\n]/.test(name))
}

/** True if a column contains numbers, dates or geometries and its name is text. */
function hasTypedColumn(header: Row, rows: readonly Row[]): boolean {
  const parser = new CellParser()
  return header.some((name, index) => {
    if (name === '' || isTyped(parser, name)) return false
    const cells = rows.flatMap((row) => row[index] || [])
    return cells.length > 0 && cells.every((cell) => isTyped(parser, cell))
  })
}

/** True if header and first row start alike, as lines of a log do. */
function isRepeated(header: Row, [first]: readonly Row[]): boolean {
  return header.some((name, index) => name !== '' && first?.[index] === name)
}

/**
 * True unless the commas look like those of prose, which has blanks after commas and lines that end with a
 * comma.
 */
function isUnlikeProse(header: Row, firstLine: string): boolean {
  return !header.slice(1).includes('') && !/,[ \t]/.test(firstLine)
}

/**
 * True if text of any kind is a table with a header: at least two columns and two rows; nine of ten rows have
 * as many cells as the header; the header names at least two columns, and its first name is not a number. In
 * addition, either a column contains only numbers, dates or geometries, or all rows agree, no name is
 * repeated in the row below, and the commas are not those of prose. `sample` is the start of the file in
 * UTF-8.
 */
export function isTable(
  sample: Uint8Array,
  isWhole: boolean,
  { delimiter, columns, agreement }: CsvDialect,
): boolean {
  if (agreement < minAgreement || columns < 2 || columns > maxCsvColumns) return false
  const [header, ...rest] = Array.from(
    sampledRows(sample, isWhole, delimiter),
    (scanner): Row =>
      Array.from({ length: Math.min(scanner.cellCount, columns + 1) }, (_, cell) =>
        csvCellText(scanner, cell),
      ),
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
