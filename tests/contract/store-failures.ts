import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { UpdateMode } from '../../src/stores/store.ts'
import { updateModes } from '../../src/stores/store.ts'
import type { Row } from '../support/batches.ts'
import { batchesOf, schemaOf, wkb } from '../support/batches.ts'
import type { MakeStore, StoreUnderTest } from './store-session.ts'
import { loadRows, readColumn, stageRows, withStore } from './store-session.ts'

const schema = schemaOf({ n: 'int32' }, 'Point')
const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({ geometry: wkb('Point', [i, i]), values: [i] }))

/** A table to update, and what must still be there after a failed load. */
async function prepare({ store }: StoreUnderTest, mode: UpdateMode): Promise<() => Promise<void>> {
  if (mode === 'CREATE') {
    await loadRows(store, { table: 'bystander', schema })
    return async () => {
      assert.deepEqual(await store.listTables(), ['bystander'])
      assert.equal(await store.findTable('layer'), undefined)
    }
  }
  await loadRows(store, { schema, rows: rows(3) })
  return async () => {
    assert.deepEqual(await readColumn(store, 'n'), [0, 1, 2])
    assert.deepEqual(await store.listTables(), ['layer'])
    assert.deepEqual((await store.findTable('layer'))?.envelope, { minX: 0, minY: 0, maxX: 2, maxY: 2 })
  }
}

export function describeFailures(make: MakeStore): void {
  for (const mode of updateModes) {
    describe(`a failed ${mode}`, () => {
      it(
        'leaves everything as it was when the source breaks off',
        withStore(make, async (under) => {
          const assertUnchanged = await prepare(under, mode)
          const failing = (async function* () {
            yield* batchesOf(schema, rows(5000))
            throw new Error('disk on fire')
          })()
          await assert.rejects(loadRows(under.store, { mode, schema, batches: failing }), /disk on fire/)
          await assertUnchanged()
        }),
      )

      it(
        'leaves everything as it was when the caller refuses the commit',
        withStore(make, async (under) => {
          const assertUnchanged = await prepare(under, mode)
          let token = ''
          const record = async (given: string): Promise<void> => {
            token = given
            throw new Error('too many rejects')
          }
          await assert.rejects(
            loadRows(under.store, { mode, schema, rows: rows(100), record }),
            /too many rejects/,
          )
          await assertUnchanged()
          assert.equal(await under.store.outcome(token), 'absent')
        }),
      )

      it(
        'leaves everything as it was when it is aborted',
        withStore(make, async (under) => {
          const assertUnchanged = await prepare(under, mode)
          const controller = new AbortController()
          const batches = (async function* () {
            for await (const batch of batchesOf(schema, rows(9000))) {
              yield batch
              controller.abort(new Error('stopped by hand'))
            }
          })()
          await assert.rejects(
            loadRows(under.store, { mode, schema, batches, hooks: { signal: controller.signal } }),
            /stopped by hand/,
          )
          await assertUnchanged()
        }),
      )

      it(
        'is swept without a trace, and can be run again under the same load id',
        withStore(make, async (under) => {
          const assertUnchanged = await prepare(under, mode)
          // Concurrent tests share a database, and a sweep ends all loads with the same load id.
          const loadId = `l${mode}`
          const failing = (async function* () {
            yield* batchesOf(schema, rows(10))
            throw new Error('gone')
          })()
          await assert.rejects(loadRows(under.store, { loadId, mode, schema, batches: failing }))
          await under.store.sweep(loadId)
          await under.store.sweep('never-begun')
          await assertUnchanged()
          const { result } = await loadRows(under.store, { loadId, mode, schema, rows: rows(4) })
          assert.equal(result.rowsLoaded, 4)
        }),
      )
    })

    it(
      `${mode} that is staged shows nothing, and is rolled back or committed later`,
      withStore(make, async (under) => {
        const assertUnchanged = await prepare(under, mode)
        const given = { mode, schema, rows: rows(6) }
        const first = await stageRows(under.store, given)
        assert.equal(first.staged.result.rowsLoaded, 6)
        await assertUnchanged()
        await first.staged.discard()
        const second = await stageRows(under.store, given)
        const prepared = await second.staged.prepare()
        await prepared.discard()
        assert.equal(await under.store.outcome(prepared.token), 'absent')
        await assertUnchanged()
        const third = await (await stageRows(under.store, given)).staged.prepare()
        assert.equal(third.result.rowsLoaded, 6)
        await third.commit()
        assert.equal(await under.store.outcome(third.token), 'committed')
        assert.equal((await readColumn(under.store, 'n')).length, mode === 'APPEND' ? 9 : 6)
      }),
    )

    it(
      `${mode} shows nothing before its commit, and its token tells afterwards that it happened`,
      withStore(make, async (under) => {
        const assertUnchanged = await prepare(under, mode)
        const observer = under.reopen()
        const record = async (token: string): Promise<void> => {
          assert.equal(await observer.outcome(token), 'absent')
          await assertUnchanged()
        }
        const { token } = await loadRows(under.store, { mode, schema, rows: rows(7), record })
        assert.equal(await observer.outcome(token), 'committed')
        await observer.close()
        assert.equal((await readColumn(under.store, 'n')).length, mode === 'APPEND' ? 10 : 7)
      }),
    )
  }

  it(
    'tells the token of an earlier load from that of a later one that failed',
    withStore(make, async ({ store }) => {
      const first = await loadRows(store, { schema, rows: rows(1) })
      let second = ''
      const record = async (token: string): Promise<void> => {
        second = token
        throw new Error('no')
      }
      await assert.rejects(loadRows(store, { mode: 'REPLACE', schema, rows: rows(2), record }))
      assert.equal(await store.outcome(first.token), 'committed')
      assert.equal(await store.outcome(second), 'absent')
    }),
  )
}
