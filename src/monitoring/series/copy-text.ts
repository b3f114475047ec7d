import { ownValue } from '../../core/values/record-keys.ts'
import type { SqlValue } from './series-database.ts'

const special = /[\\\n\r\t]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Formats rows in the text format of PostgreSQL's COPY. */
export function toCopyText(rows: readonly (readonly SqlValue[])[]): string {
  let text = ''
  for (const row of rows) {
    let separator = ''
    for (const value of row) {
      text += separator + fieldText(value)
      separator = '\t'
    }
    text += '\n'
  }
  return text
}

function fieldText(value: SqlValue): string {
  if (value === null) return '\\N'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value.replace(special, (one) => ownValue(escapes, one) ?? one)
  return `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
}
