import { describe } from 'node:test'
import { testQueryables } from '../../support/cql2-queryables.ts'

describe('the abstract tests of CQL2 on queryables of each type (OGC 21-065r2, Annex A)', () => {
  // tests/release/cql2-conformance.test.ts takes every queryable.
  testQueryables({ queryables: 1, combinations: 2 })
})
