import type { Attribute } from '../../geo/schema.ts'
import { dateText, timestampText, timeText } from '../../geo/time-text.ts'

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Returns a value of a row as JSON, in the form of features; large integers and decimals preserve their
 * digits.
 */
export function valueToJson(value: unknown, attribute: Attribute | undefined): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'bigint') return bigToJson(value, attribute)
  if (typeof value === 'number') {
    if (attribute?.type === 'date') return `"${dateText(value)}"`
    if (attribute?.type === 'boolean') return String(value !== 0)
    return Number.isFinite(value) ? String(value) : `"${value}"`
  }
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'))
  if (attribute?.type === 'decimal' && typeof value === 'string' && jsonNumber.test(value)) return value
  return JSON.stringify(value)
}

function bigToJson(value: bigint, attribute: Attribute | undefined): string {
  if (attribute?.type === 'timestamp') return `"${timestampText(value)}"`
  return attribute?.type === 'time' ? `"${timeText(value)}"` : String(value)
}
