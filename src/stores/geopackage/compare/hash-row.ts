import { hash } from 'node:crypto'
import { parseDate, parseTimestamp } from '../../../formats/geopackage/index.ts'
import type { AttributeType } from '../../../geo/schema.ts'
import { canonicalWkb } from './canonical-geometry.ts'

/**
 * Returns equal hashes for rows with the same values, and different hashes for others. There may be more
 * types than values, for further columns.
 */
export function hashRow(
  types: readonly (AttributeType | 'geometry')[],
  values: readonly unknown[],
): Uint8Array {
  const parts = values.map((value, index) => valueBytes(types[index] ?? 'text', value))
  return hash('sha1', Buffer.concat(parts), 'buffer')
}

/** Combines several hashes into one. */
export function hashParts(hashes: readonly unknown[]): Uint8Array {
  return hash('sha1', Buffer.concat(hashes.filter((one) => one instanceof Uint8Array)), 'buffer')
}

function valueBytes(type: AttributeType | 'geometry', value: unknown): Uint8Array {
  const [tag, bytes] = plainValue(type, value)
  const head = Buffer.alloc(5)
  head.write(tag, 'latin1')
  head.writeUInt32LE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

function plainValue(type: AttributeType | 'geometry', value: unknown): [string, Uint8Array] {
  if (value === null || value === undefined) return ['0', Buffer.alloc(0)]
  if (value instanceof Uint8Array) {
    const canonical = type === 'geometry' ? canonicalWkb(value) : undefined
    return canonical === undefined ? ['b', value] : ['g', canonical]
  }
  if (typeof value === 'string') {
    const time = type === 'date' ? parseDate(value) : type === 'timestamp' ? parseTimestamp(value) : undefined
    return time === undefined ? ['t', Buffer.from(value)] : ['z', Buffer.from(String(time))]
  }
  return ['n', Buffer.from(numberText(type, value))]
}

/** An integer and a double of the same value are equal, as in SQLite. */
function numberText(type: AttributeType | 'geometry', value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  const number = type === 'float32' ? Math.fround(Number(value)) : Number(value)
  return Number.isInteger(number) ? String(BigInt(number)) : String(number)
}
