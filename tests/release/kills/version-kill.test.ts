import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { protocolSteps } from '../../../src/core/process/protocol-steps.ts'
import { allRounds } from '../../support/kills/version-rounds.ts'
import { killVersions } from '../../support/kills/versions.ts'

/** `npm run test:kill -- --work versions` kills at every step, with both catalogues. */
const kills = 4

describe('a server that is killed at the steps of what it does to a layer', { concurrency: 2 }, () => {
  for (const [type, hasView, seed] of [
    ['GeoPackage', true, 7],
    ['PostGIS', true, 8],
    ['PostGIS', false, 10],
  ] as const) {
    it(`keeps every version as the model has it, in ${type} ${hasView ? 'with' : 'without'} a view`, async (t) => {
      const { before, after } = await killVersions(t, { type, hasView, catalogue: 'SQLite' }, { seed, kills })
      assert.equal(before + after, kills)
      assert.ok(after > 0, 'no server was killed')
    })
  }

  it('is killed behind every step that has a name', () => {
    const rounds = allRounds({ locks: true, canRemove: true })
    const planned = new Set(rounds.flatMap(({ step, again }) => [step, again]))
    assert.deepEqual(
      protocolSteps.filter((step) => !planned.has(step)),
      [],
    )
  })
})
