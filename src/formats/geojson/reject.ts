import type { RejectedRow } from '../../geo/batch.ts'
import { RowError } from '../reject-writer.ts'

/** Longer features are rejected without their properties. */
const longestParsed = 1 << 20
const longestText = 1 << 16
const decoder = new TextDecoder()

/** Creates the reject of a record whose text is `bytes`, with as many values as are readable. */
export function makeReject(row: number, error: Error, bytes: Uint8Array): RejectedRow {
  const reject: RejectedRow = { row, reason: error.message }
  const field = error instanceof RowError ? error.field : 'geometry'
  if (field !== undefined) reject.field = field
  const value = error instanceof RowError ? error.value : undefined
  reject.value = value ?? decoder.decode(bytes.subarray(0, 800)).slice(0, 200)
  const properties = bytes.length > longestParsed ? undefined : readProperties(decoder.decode(bytes))
  if (properties !== undefined) reject.properties = properties
  return reject
}

/** Returns the text of the record if its geometry, or all of it, is unreadable. */
export function rejectText({ properties, field }: RejectedRow, bytes: Uint8Array): string | undefined {
  return properties === undefined || field === 'geometry'
    ? decoder.decode(bytes.subarray(0, longestText))
    : undefined
}

function readProperties(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('properties' in value)) return undefined
    const { properties } = value
    return typeof properties === 'object' && properties !== null ? { ...properties } : undefined
  } catch {
    return undefined
  }
}
