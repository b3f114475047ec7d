import { extname } from 'node:path'
import { foreignContent, headAsUtf8 } from '../content-name.ts'
import type { DataFile } from '../format.ts'
import { findDialect } from './delimiter.ts'
import { isTable } from './table-rules.ts'

const headBytes = 1 << 16
/** Extensions that identify a table, even with one column or row. */
const ownExtensions = new Set(['.csv', '.tsv', '.psv'])
/** Extensions of arbitrary text: the content must clearly be a table. */
const textExtensions = new Set(['.txt', '.text', '.tab', '.dat', '.xls'])

/**
 * True if a file is delimited text. With an extension of its own any text is, unless it begins like another
 * format. With an ambiguous extension (`.tab` is also used by MapInfo, `.xls` by many exports) it must
 * satisfy the rules of a table.
 */
export function isCsv(file: DataFile, head: Uint8Array): boolean {
  const extension = extname(file.path).toLowerCase()
  const isOwn = ownExtensions.has(extension)
  if (!isOwn && !textExtensions.has(extension)) return false
  const sample = headAsUtf8(head)
  if (sample.length === 0 || foreignContent(head) !== undefined) return false
  if (isOwn) return true
  const isWhole = head.length < headBytes
  const dialect = findDialect(sample, isWhole)
  return dialect !== undefined && isTable(sample, isWhole, dialect)
}
