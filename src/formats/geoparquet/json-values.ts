import { columnValue } from '../../geo/column.ts'
import { createColumnBuilder } from '../../geo/column-builder.ts'
import { dateText, timestampText, timeText } from '../../geo/time-text.ts'
import type { Making } from './assemble-row.ts'
import type { LeafCursor } from './leaf-cursor.ts'
import { leafType } from './leaf-type.ts'

/**
 * Builds nested values as JSON text; numbers retain all digits, bytes are base64, values that JSON lacks are
 * null.
 */
export const jsonValues: Making<string> = {
  leaf: leafJson,
  nothing: 'null',
  list: (items) => `[${items.join(',')}]`,
  struct: (names, items) =>
    `{${items.map((item, index) => `${JSON.stringify(names[index])}:${item}`).join(',')}}`,
}

function leafJson({ node, source }: LeafCursor): string {
  const { attribute, append } = leafType(node)
  const builder = createColumnBuilder(attribute.type, 1)
  if (append(source, builder) !== '') return 'null'
  const value = columnValue(builder.finish(), 0)
  if (typeof value === 'bigint') return bigJson(value, attribute.type)
  if (typeof value === 'number') return numberJson(value, attribute.type)
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'))
  return attribute.type === 'decimal' ? String(value) : JSON.stringify(value)
}

function bigJson(value: bigint, type: string): string {
  if (type === 'timestamp') return JSON.stringify(timestampText(value))
  return type === 'time' ? JSON.stringify(timeText(value)) : value.toString()
}

function numberJson(value: number, type: string): string {
  if (type === 'date') return JSON.stringify(dateText(value))
  return Number.isFinite(value) ? JSON.stringify(value) : 'null'
}
