import type { Comparison } from './comparison.ts'
import { amounts, describeNumber, findNumberBreach } from './limits.ts'

/** Lower limit. */
export const minValue: Comparison = {
  name: 'min_value',
  isProblemWhen: 'the number is below the threshold',
  limit: amounts,
  worst: 'lowest',
  mayHaveNoService: ({ type }) => type === 'rate',
  findBreach: (compared) => findNumberBreach(compared, (value) => value < compared.limit),
  describe: (facts) => describeNumber(facts, 'at least'),
}
