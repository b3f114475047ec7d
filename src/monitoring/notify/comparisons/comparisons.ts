import type { Comparison, LimitKind } from './comparison.ts'
import { amounts } from './limits.ts'
import { maxTimeout } from './max-timeout.ts'
import { maxValue } from './max-value.ts'
import { minValue } from './min-value.ts'

/** Every way of comparing, one line each. */
export const comparisons: readonly Comparison[] = [minValue, maxValue, maxTimeout]

/** In the order of the registry. */
export const comparisonNames: readonly string[] = comparisons.map(({ name }) => name)

/** Undefined for a name that was never given, or that a newer version has written. */
export function findComparison(name: string): Comparison | undefined {
  return comparisons.find((one) => one.name === name)
}

/** What limits of a comparison are; of an unknown one the metric's own numbers. */
export function limitsOf(name: string): LimitKind {
  return findComparison(name)?.limit ?? amounts
}

/** What a dump of older systems means where it names none. */
export const unnamedComparison = minValue
