import type { DatabaseSync } from 'node:sqlite'
import { parseDate, parseTimestamp } from '../../../formats/geopackage/index.ts'
import type { AttributeType } from '../../../geo/schema.ts'
import { isSameGeometry } from './canonical-geometry.ts'

type Same = (a: unknown, b: unknown) => boolean

/** Functions that treat different encodings of the same value as equal, which SQLite distinguishes. */
const spellings: Partial<Record<AttributeType | 'geometry', { name: string; isSame: Same }>> = {
  geometry: { name: 'same_geometry', isSame: isSameGeometry },
  date: { name: 'same_date', isSame: bothTexts(parseDate) },
  timestamp: { name: 'same_timestamp', isSame: bothTexts(parseTimestamp) },
  float32: {
    name: 'same_float32',
    isSame: (a, b) => typeof a === 'number' && typeof b === 'number' && Math.fround(a) === Math.fround(b),
  },
}

function bothTexts(parse: (text: string) => unknown): Same {
  return (a, b) => {
    if (typeof a !== 'string' || typeof b !== 'string') return false
    const value = parse(a)
    return value !== undefined && value === parse(b)
  }
}

/** Registers the functions of `sameValue` on a connection. */
export function addCompareFunctions(db: DatabaseSync): void {
  const options = { deterministic: true, directOnly: true, useBigIntArguments: true }
  for (const { name, isSame } of Object.values(spellings)) {
    db.function(name, options, (a, b) => (isSame(a, b) ? 1 : 0))
  }
}

/** Returns a condition: two values of a type are equal. Two nulls are, null and an empty text are not. */
export function sameValue(type: AttributeType | 'geometry', a: string, b: string): string {
  const spelling = spellings[type]
  if (spelling === undefined) return `${a} IS ${b}`
  // OR would call the function for every row.
  return `CASE WHEN ${a} IS ${b} THEN 1 ELSE ${spelling.name}(${a}, ${b}) END`
}
