import { extname } from 'node:path'
import { foreignContent, headAsUtf8 } from '../content-name.ts'
import type { DataFile } from '../format.ts'
import { findDialect } from './delimiter.ts'
import { isTable } from './table-rules.ts'

const headBytes = 1 << 16
/** Endings that say that it is a table, of one column or row too. */
const ownExtensions = new Set(['.csv', '.tsv', '.psv'])
/** Endings of any text: the content must be a table beyond doubt. */
const textExtensions = new Set(['.txt', '.text', '.tab', '.dat', '.xls'])

/**
 * Whether a file is delimited text. With an ending of its own any text is, unless it begins like something else; with
 * one that any text may have (`.tab` is MapInfo's too, `.xls` that of many exports) it must follow the rules of a table.
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
