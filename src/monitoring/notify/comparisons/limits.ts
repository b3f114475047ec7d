import { readableAmount, toAmount } from '../model/amount.ts'
import { parseDuration, readableDuration } from '../model/duration.ts'
import type { LimitKind } from './comparison.ts'

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
