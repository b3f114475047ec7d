import type { Comparison } from './comparison.ts'
import { amounts, describeNumber, findNumberBreach } from './limits.ts'

/** Upper limit. */
export const maxValue: Comparison = {
  name: 'max_value',
  isProblemWhen: 'the number is above it',
  limit: amounts,
  worst: 'highest',
  mayHaveNoService: ({ type }) => type === 'rate',
  findBreach: (compared) => findNumberBreach(compared, (value) => value > compared.limit),
  describe: (facts) => describeNumber(facts, 'at most'),
}
