import { readableDuration } from '../model/duration.ts'
import type { Comparison } from './comparison.ts'
import { durations } from './limits.ts'

/** Maximum time without data. */
export const maxTimeout: Comparison = {
  name: 'max_timeout',
  isProblemWhen: 'nothing was measured for more than so many seconds, or never',
  limit: durations,
  worst: 'highest',
  mayHaveNoService: () => false,
  findBreach: ({ limit, found: { lastValidTo }, now }) => {
    if (lastValidTo === undefined) return { kind: 'beyond' }
    const seconds = now / 1000 - lastValidTo
    return seconds > limit ? { kind: 'beyond', value: seconds } : undefined
  },
  describe: ({ value, limit }) => {
    const silence =
      value === undefined ? 'nothing was ever measured' : `nothing since ${readableDuration(value)}`
    return `${silence}; something at least every ${limit} is expected.`
  },
}
