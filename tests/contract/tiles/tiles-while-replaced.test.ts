import { describe } from 'node:test'
import { testTilesDuringReplacements } from '../../support/tiles-while-replaced.ts'

describe('tiles while their layers are replaced', () => {
  // tests/release/models/tiles-while-replaced.test.ts has both catalogues, and more clients and replacements.
  testTilesDuringReplacements({ catalogue: 'SQLite', clients: 20, generations: 3 })
})
