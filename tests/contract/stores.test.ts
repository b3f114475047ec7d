import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StoreDescription } from '../../src/stores/description.ts'
import { stores } from '../../src/stores/registry.ts'
import { startStore } from '../support/store-starts.ts'
import { describeComparing } from './store-compare.ts'
import { describeCreate } from './store-create.ts'
import { describeDescriptions } from './store-descriptions.ts'
import { describeDryRuns } from './store-dry-runs.ts'
import { describeFailures } from './store-failures.ts'
import { describeGeometryNames } from './store-geometry-names.ts'
import { describeIdentities } from './store-identities.ts'
import { describeMemory } from './store-memory.ts'
import { describeOutcomes } from './store-outcomes.ts'
import { describeReading } from './store-reading.ts'
import { describeRefusals } from './store-refusals.ts'
import { describeRules } from './store-rules.ts'
import type { MakeStore } from './store-session.ts'
import { describeStates } from './store-states.ts'
import { describeTiles } from './store-tiles.ts'
import { describeUpdates } from './store-updates.ts'
import { describeUpserts } from './store-upserts.ts'

/** Runs the tests of everything that a store's description promises, each on an empty store. */
function describeStore(description: StoreDescription): void {
  const { type, can } = description
  const make: MakeStore = () => startStore(description)
  describe(`${type} store`, () => {
    describeReading(make, description)
    describeTiles(make, description)
    if (!can.takesLoads) {
      describeRefusals(make)
      return
    }
    describeCreate(make)
    describeGeometryNames(make)
    describeUpdates(make)
    describeFailures(make)
    describeOutcomes(make, description)
    describeMemory(make)
    it('has what it says about comparing loads', async () => {
      const { store, dispose } = await make()
      try {
        assert.deepEqual(
          [store.takeUp !== undefined, store.states !== undefined],
          [can.comparesLoads, can.comparesLoads],
        )
      } finally {
        await dispose()
      }
    })
    if (!can.comparesLoads) return
    describeDryRuns(make)
    describeComparing(make)
    describeRules(make)
    describeStates(make)
    describeUpserts(make)
    describeIdentities(make)
  })
}

describeDescriptions(stores)
// Each test has a store of its own: tests that wait for a database leave time for others. Higher concurrency
// only makes them wait for each other: two keep the process busy, and a connection that waits too long fails.
describe('stores', { concurrency: 2 }, () => {
  for (const description of stores) describeStore(description)
})
