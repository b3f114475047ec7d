import { readableAmount, toAmount } from '../model/amount.ts'
import { parseDuration, readableDuration } from '../model/duration.ts'
import type { Breach, BreachFacts, ComparedValue, LimitKind } from './comparison.ts'

/** Limits in the metric's own unit. */
export const amounts: LimitKind = {
  isDuration: false,
  unit: (metric) => (metric === undefined || metric.unit === 'Count' ? '' : metric.unit),
  parse: toAmount,
  readable: (limit, { unit }) => readableAmount(limit, unit),
}

/** Limits in seconds; they may be typed as `HH:MM:SS` too. */
export const durations: LimitKind = {
  isDuration: true,
  unit: () => 's',
  parse: (text) => {
    const seconds = toAmount(text) ?? parseDuration(text)
    return seconds === undefined || seconds < 0 ? undefined : seconds
  },
  readable: readableDuration,
}

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
export function describeNumber({ value, metric, limit, more, span }: BreachFacts, requested: string): string {
  return `${readableAmount(value ?? 0, metric.unit)}${more} ${span}; ${requested} ${limit} is expected.`
}
