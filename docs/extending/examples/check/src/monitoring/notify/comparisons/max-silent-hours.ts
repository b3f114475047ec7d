import { toAmount } from '../model/amount.ts'
import { readableDuration } from '../model/duration.ts'
import type { Comparison, LimitKind } from './comparison.ts'

const hourSeconds = 3600

/** Limits in hours. */
const hours: LimitKind = {
  isDuration: false,
  unit: () => 'h',
  parse: (text) => {
    const limit = toAmount(text)
    return limit === undefined || limit < 0 ? undefined : limit
  },
  readable: (limit) => readableDuration(limit * hourSeconds),
}

/** For what happens seldom, such as a load each night. */
export const maxSilentHours: Comparison = {
  name: 'max_silent_hours',
  isProblemWhen: 'nothing was measured for more than so many hours, unless it never was',
  limit: hours,
  worst: 'highest',
  mayHaveNoService: () => true,
  findBreach: ({ limit, found: { lastValidTo }, now }) => {
    if (lastValidTo === undefined) return undefined
    const value = (now / 1000 - lastValidTo) / hourSeconds
    return value > limit ? { kind: 'beyond', value } : undefined
  },
  describe: ({ value = 0, limit }) =>
    `nothing since ${readableDuration(value * hourSeconds)}; something at least every ${limit} is expected.`,
}
