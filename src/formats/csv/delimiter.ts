import { OpenQuoteError, RowScanner } from './row-scanner.ts'

const delimiters = [0x2c, 0x3b, 0x09, 0x7c] as const
const sampleRows = 100
export const maxCsvColumns = 2000

export interface CsvDialect {
  delimiter: number
  /** Number of columns of the first row. */
  columns: number
  /** Share of the sampled rows with as many cells, up to 1. */
  agreement: number
}

/** Yields the rows of a sample, using the same scanner, up to a quote that is never closed. */
export function* sampledRows(sample: Uint8Array, isWhole: boolean, delimiter: number): Generator<RowScanner> {
  const scanner = new RowScanner(delimiter, maxCsvColumns)
  scanner.bytes = new Uint8Array(sample.length + 16)
  scanner.bytes.set(sample)
  scanner.end = sample.length
  scanner.isLast = isWhole
  try {
    for (let rows = 0; rows < sampleRows && scanner.next() === 'row'; rows += 1) yield scanner
  } catch (error) {
    if (!(error instanceof OpenQuoteError)) throw error
  }
}

/**
 * Returns how well the rows of a sample agree with this delimiter; undefined if the sample has no complete
 * row.
 */
function tryDelimiter(sample: Uint8Array, isWhole: boolean, delimiter: number): CsvDialect | undefined {
  let columns = 0
  let rows = 0
  let agreeing = 0
  for (const { cellCount } of sampledRows(sample, isWhole, delimiter)) {
    rows += 1
    if (columns === 0) columns = cellCount
    if (cellCount === columns) agreeing += 1
  }
  return rows === 0 ? undefined : { delimiter, columns, agreement: agreeing / rows }
}

/**
 * Finds the delimiter of text that begins with `sample` (UTF-8, without byte order mark): of comma,
 * semicolon, tab and vertical bar the one with which most rows have as many cells as the first, then the one
 * with most columns; a comma if the first row contains none of them. Undefined if the sample has no complete
 * row.
 */
export function findDialect(sample: Uint8Array, isWhole: boolean): CsvDialect | undefined {
  let best: CsvDialect | undefined
  for (const delimiter of delimiters) {
    const found = tryDelimiter(sample, isWhole, delimiter)
    if (found === undefined) continue
    if (best === undefined || isBetter(found, best)) best = found
  }
  return best
}

function isBetter(found: CsvDialect, best: CsvDialect): boolean {
  if (found.columns === 1) return false
  if (best.columns === 1) return true
  return (
    found.agreement > best.agreement || (found.agreement === best.agreement && found.columns > best.columns)
  )
}
