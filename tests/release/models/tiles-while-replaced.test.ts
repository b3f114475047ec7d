import { describe } from 'node:test'
import { testTilesDuringReplacements } from '../../support/tiles-while-replaced.ts'

for (const catalogue of ['SQLite', 'PostgreSQL'] as const)
  describe(`tiles while their layers are replaced, catalogue in ${catalogue}`, () => {
    testTilesDuringReplacements({ catalogue, clients: 64, generations: 4 })
  })
