import { describe } from 'node:test'
import { testMapsDuringReplacements } from '../../support/maps-while-replaced.ts'

describe('maps while their layers are replaced', () => {
  // tests/release/models/maps-while-replaced.test.ts has both catalogues, and more clients and replacements.
  testMapsDuringReplacements({ catalogue: 'SQLite', clients: 12, generations: 2 })
})
