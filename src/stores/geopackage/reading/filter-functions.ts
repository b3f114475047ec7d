import type { DatabaseSync } from 'node:sqlite'
import { CpuDeadline } from '../../../core/time/stopwatch.ts'
import type { NumberType, NumberValue } from '../../../filters/calculate.ts'
import { calculate } from '../../../filters/calculate.ts'
import type { Calculation, TextFolding } from '../../../filters/filter.ts'
import { foldFilterText, LikePattern, lengthOfText } from '../../../filters/texts.ts'
import { parseDate, parseTimestamp, wkbStart } from '../../../formats/geopackage/index.ts'
import type { DistanceLimit, DistanceTest } from '../../../geo/relations/distance-test.ts'
import { requireRelations } from '../../../geo/relations/load-relations.ts'
import type { RelationName, RelationTest } from '../../../geo/relations/relation-test.ts'
import { queryMs, tookTooLong } from '../../too-slow.ts'

const microsPerDay = 86_400_000_000n
/** Maximum number of prepared patterns and geometries per connection: those of one filter. */
const maxKept = 100

const deadlines = new WeakMap<DatabaseSync, CpuDeadline>()

/** Sets the time limit for testing spatial relations of the next query: SQLite does not return in between. */
export function limitRelations(db: DatabaseSync): void {
  deadlines.set(db, new CpuDeadline(queryMs))
}

/** Registers the SQL functions that filter conditions call; null arguments give null. */
export function defineFilterFunctions(db: DatabaseSync): void {
  db.function('terrane_single', { deterministic: true }, (value) =>
    typeof value === 'number' ? Math.fround(value) : null,
  )
  db.function('terrane_moment', { deterministic: true }, (text, isDate) =>
    typeof text === 'string' ? (momentOf(text, isDate === 1) ?? null) : null,
  )
  db.function('terrane_fold', { deterministic: true }, (text, folded) =>
    typeof text === 'string' ? foldFilterText(text, folded as TextFolding) : null,
  )
  db.function('terrane_length', { deterministic: true }, (text) =>
    typeof text === 'string' ? lengthOfText(text) : null,
  )
  db.function(
    'terrane_calculate',
    { deterministic: true, useBigIntArguments: true, varargs: true },
    (operator, type, ...of) => {
      const [a, b] = of.map(numberIn)
      if (a === undefined || (of.length > 1 && b === undefined)) return null
      const result = calculate(operator as Calculation['calculate'], type as NumberType, a, b)
      const isTooLarge = typeof result === 'bigint' && BigInt.asIntN(64, result) !== result
      return (isTooLarge ? Number(result) : result) ?? null
    },
  )
  const patterns = new Map<string, LikePattern>()
  db.function('terrane_like', { deterministic: true }, (text, pattern) => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return null
    return kept(patterns, pattern, () => new LikePattern(pattern)).matches(text) ? 1 : 0
  })
  const tests = new Map<string, RelationTest>()
  db.function('terrane_related', { deterministic: true }, (blob, relation, key, isFirst, fixed, turn) => {
    if (!(blob instanceof Uint8Array && fixed instanceof Uint8Array)) return null
    if (deadlines.get(db)?.isOver === true) throw tookTooLong()
    const { RelationTest } = requireRelations()
    const test = kept(
      tests,
      `${relation} ${isFirst} ${turn} ${key}`,
      () =>
        new RelationTest(
          relation as RelationName,
          fixed,
          isFirst === 1,
          typeof turn === 'number' ? turn : undefined,
        ),
    )
    return test.test(blob, wkbStart(blob, 0, blob.length)) ? 1 : 0
  })
  const distances = new Map<string, DistanceTest>()
  db.function('terrane_near', { deterministic: true }, (blob, key, fixed, distance, x, y) => {
    if (!(blob instanceof Uint8Array && fixed instanceof Uint8Array)) return null
    if (deadlines.get(db)?.isOver === true) throw tookTooLong()
    const { DistanceTest } = requireRelations()
    const reach: DistanceLimit = { distance: Number(distance), scale: [Number(x), Number(y)] }
    const test = kept(distances, `${distance} ${x} ${y} ${key}`, () => new DistanceTest(fixed, reach))
    return test.test(blob, wkbStart(blob, 0, blob.length)) ? 1 : 0
  })
}

function kept<Value>(values: Map<string, Value>, key: string, make: () => Value): Value {
  const known = values.get(key)
  if (known !== undefined) return known
  if (values.size >= maxKept) values.clear()
  const made = make()
  values.set(key, made)
  return made
}

/** Returns the number in a cell; decimals may be stored as text. */
function numberIn(value: unknown): NumberValue | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : undefined
}

function momentOf(text: string, isDate: boolean): bigint | undefined {
  if (!isDate) return parseTimestamp(text)
  const days = parseDate(text)
  return days === undefined ? undefined : BigInt(days) * microsPerDay
}
