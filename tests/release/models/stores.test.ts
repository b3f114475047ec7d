import { describe } from 'node:test'
import { stores } from '../../../src/stores/registry.ts'
import { describeComparedPairs } from '../../contract/store-compare.ts'
import { describeRuledLoads, ruledModes } from '../../contract/store-rules.ts'
import { describeStateSequences } from '../../contract/store-states.ts'
import { describeUpsertedPairs, upsertedPairs } from '../../contract/store-upserts.ts'
import { startStore } from '../../support/store-starts.ts'

// `tests/contract/stores.test.ts` tries one case of each geometry type, rule and mode with the same functions.
describe('stores that compare loads', { concurrency: 2 }, () => {
  for (const description of stores.filter(({ can }) => can.takesLoads && can.comparesLoads)) {
    const make = () => startStore(description)
    describe(`${description.type} store`, () => {
      describe('comparing', () => describeComparedPairs(make, () => [1, 2, 3, 4]))
      describe('rules of a table', () => describeRuledLoads(make, () => ruledModes))
      describe('states of tables', () => describeStateSequences(make, [1, 2, 3]))
      describe('UPSERT', () => describeUpsertedPairs(make, () => upsertedPairs))
    })
  }
})
