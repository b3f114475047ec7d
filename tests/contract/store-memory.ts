import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FeatureBatch } from '../../src/geo/batch.ts'
import { batchesOf, schemaOf, wkb } from '../support/batches.ts'
import type { MakeStore } from './store-session.ts'
import { loadRows, withStore } from './store-session.ts'

const batchCount = 60
const schema = schemaOf({ text: 'text' }, 'Point')
/** Number of batches that the reader, the encoder and the sender may hold. */
const held = 6

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

async function countAlive(batches: WeakRef<FeatureBatch>[]): Promise<number> {
  await nextTurn()
  collectGarbage()
  await nextTurn()
  collectGarbage()
  return batches.filter((batch) => batch.deref() !== undefined).length
}

/** Yields batches with a weak reference to each; `onHalf` receives those yielded so far. */
async function* watched(onHalf: (given: WeakRef<FeatureBatch>[]) => Promise<void>) {
  const given: WeakRef<FeatureBatch>[] = []
  for (let number = 0; number < batchCount; number += 1) {
    const rows = Array.from({ length: 20 }, () => ({
      geometry: wkb('Point', [1, 2]),
      values: ['x'.repeat(2000)],
    }))
    for await (const batch of batchesOf(schema, rows)) {
      given.push(new WeakRef(batch))
      yield batch
    }
    if (number === batchCount / 2) await onHalf(given)
  }
}

export function describeMemory(make: MakeStore): void {
  describe('a load', () => {
    it(
      'lets go of each batch when it has been taken',
      withStore(make, async ({ store }) => {
        let alive = Number.POSITIVE_INFINITY
        const batches = watched(async (given) => {
          alive = await countAlive(given)
        })
        const { result } = await loadRows(store, { schema, batches })
        assert.equal(result.rowsLoaded, batchCount * 20)
        assert.ok(alive <= held, `${alive} batches are still held`)
      }),
    )
  })
}
