import { describe } from 'node:test'
import { testQueryables } from '../support/cql2-queryables.ts'

describe('the abstract tests of CQL2 on each queryable (OGC 21-065r2, Annex A)', () => {
  testQueryables({ queryables: Number.POSITIVE_INFINITY, combinations: 12 })
})
