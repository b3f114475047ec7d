import type { ChangeCounts } from '../../src/stores/changes.ts'
import type { Row } from './batches.ts'

type Whole = Required<Row>

/** Equal for rows that hold the same values: not a number is the same as itself, and zero as its negative. */
function textOf({ values, geometry }: Whole): string {
  return JSON.stringify([
    values.map(valueText),
    geometry === null ? null : Buffer.from(geometry).toString('hex'),
  ])
}

function valueText(value: Row['values'][number]): string | null {
  if (value === null) return null
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
  return `${typeof value} ${String(value === 0 ? 0 : value)}`
}

/** Counts the differences between two tables, by rows as a multiset. */
export function differenceByRows(before: readonly Whole[], after: readonly Whole[]): ChangeCounts {
  const left = new Map<string, number>()
  for (const row of before) left.set(textOf(row), (left.get(textOf(row)) ?? 0) + 1)
  let same = 0
  for (const row of after) {
    const count = left.get(textOf(row)) ?? 0
    if (count === 0) continue
    left.set(textOf(row), count - 1)
    same += 1
  }
  return { added: after.length - same, changed: null, removed: before.length - same, same }
}

/**
 * Counts the differences between two tables, by the values at `keys`, each of which occurs once on each side.
 */
export function differenceByKey(
  before: readonly Whole[],
  after: readonly Whole[],
  keys: readonly number[],
): ChangeCounts {
  const keyOf = ({ values }: Whole): string =>
    JSON.stringify(keys.map((key) => valueText(values[key] ?? null)))
  const old = new Map(before.map((row) => [keyOf(row), textOf(row)]))
  const kept = after.filter((row) => old.has(keyOf(row)))
  const same = kept.filter((row) => old.get(keyOf(row)) === textOf(row)).length
  return {
    added: after.length - kept.length,
    changed: kept.length - same,
    removed: before.length - kept.length,
    same,
  }
}
