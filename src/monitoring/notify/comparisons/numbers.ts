import { readableAmount } from '../model/amount.ts'
import type { Breach, BreachFacts, ComparedValue } from './comparison.ts'

/**
 * A breach by the number itself. Where a service was read and nothing happened a sum is 0; a mean of nothing is no
 * problem.
 */
export function findNumberBreach(
  { metric, found, isCollected }: ComparedValue,
  isBeyond: (value: number) => boolean,
): Breach | undefined {
  const isSum = metric.type !== 'rate'
  if (found.value === undefined && isSum && !isCollected) return { kind: 'uncollected' }
  const value = found.value ?? (isSum ? 0 : undefined)
  return value !== undefined && isBeyond(value) ? { kind: 'beyond', value } : undefined
}

/** `wanted` is `at least` or `at most`. */
export function describeNumber({ value, metric, limit, more, span }: BreachFacts, wanted: string): string {
  return `${readableAmount(value ?? 0, metric.unit)}${more} ${span}; ${wanted} ${limit} is expected.`
}
