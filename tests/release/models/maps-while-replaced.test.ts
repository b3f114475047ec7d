import { describe } from 'node:test'
import { testMapsDuringReplacements } from '../../support/maps-while-replaced.ts'

for (const catalogue of ['SQLite', 'PostgreSQL'] as const)
  describe(`maps while their layers are replaced, catalogue in ${catalogue}`, () => {
    testMapsDuringReplacements({ catalogue, clients: 64, generations: 4 })
  })
