import type { Comparison, LimitKind } from './comparison.ts'
import { amounts } from './limits.ts'
import { maxTimeout } from './max-timeout.ts'
import { maxValue } from './max-value.ts'
import { minValue } from './min-value.ts'

/** All comparisons. */
export const comparisons: readonly Comparison[] = [minValue, maxValue, maxTimeout]

/** Names of all comparisons, in registry order. */
export const comparisonNames: readonly string[] = comparisons.map(({ name }) => name)

/** Returns a comparison by name; undefined for an unknown name, such as one stored by a newer version. */
export function findComparison(name: string): Comparison | undefined {
  return comparisons.find((one) => one.name === name)
}

/** Returns the unit of a comparison's limits; for an unknown comparison, numbers in the metric's unit. */
export function comparisonLimits(name: string): LimitKind {
  return findComparison(name)?.limit ?? amounts
}
