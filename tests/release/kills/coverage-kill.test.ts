import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { killCoverages } from '../../support/kills/coverages.ts'

/** `npm run test:kill -- --work coverages` kills at every step. */
const kills = 3

describe('a server that is killed while it deletes a coverage or brings it back', { concurrency: 2 }, () => {
  for (const [kind, catalogue, seed] of [
    ['raster', 'SQLite', 3],
    ['mosaic', 'SQLite', 4],
    ['mosaic', 'PostgreSQL', 6],
  ] as const)
    it(`has it whole, or nothing of it: a ${kind}, with the catalogue in ${catalogue}`, async (t) => {
      const { before, after } = await killCoverages(t, { kind, catalogue }, { seed, kills })
      assert.equal(before + after, kills)
      assert.ok(after > 0, 'no server was killed')
    })
})
