import { describe, it } from 'node:test'
import { killTwoNodes } from '../../support/kills/two-nodes.ts'

describe('two servers of a catalogue of which one is killed during a load', () => {
  // 20 kills each: the sessions share the time limit of the tier.
  for (const seed of [30_001, 30_002])
    it(`finish each load exactly once, with a lease of 1 second (seed ${seed})`, (t) =>
      killTwoNodes(t, { seed, kills: 20 }, 1).then(() => undefined))
})
