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

/** Limits in seconds, which may also be entered as `HH:MM:SS`. */
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
 * Returns the violation of a limit on the value. If a service was collected and had no requests, its sum is
 * 0; a mean without values is not a problem.
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

/** `requested` is `at least` or `at most`. */
export function describeNumber({ value, metric, limit, more, span }: BreachFacts, requested: string): string {
  return `${readableAmount(value ?? 0, metric.unit)}${more} ${span}; ${requested} ${limit} is expected.`
}
