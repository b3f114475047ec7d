import { describe } from 'node:test'
import { testQueryables } from '../../support/cql2-queryables.ts'

const seed = Number(process.env['TERRANE_TEST_SEED'] ?? 25)

// `tests/release/cql2-conformance.test.ts` tests every queryable.
describe(`the abstract tests of CQL2 on queryables of each type (OGC 21-065r2, Annex A), seed ${seed}`, () => {
  testQueryables({ queryables: 5, combinations: 8, seed })
})
