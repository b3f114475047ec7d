import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { RowChange, TableComparison } from '../../src/stores/changes.ts'
import { commitLoad } from '../../src/stores/commit-load.ts'
import type { LoadRequest, StagedLoad, VectorStore } from '../../src/stores/store.ts'
import { updateModes } from '../../src/stores/store.ts'
import type { Row } from '../support/batches.ts'
import { schemaOf, wkb } from '../support/batches.ts'
import type { LoadArguments, MakeStore, StoreUnderTest } from './store-session.ts'
import {
  gatheringHooks,
  loadRows,
  never,
  readColumn,
  readRows,
  stageRows,
  withStore,
} from './store-session.ts'

const schema = schemaOf({ key: 'int32', name: 'text' }, 'Point')
const row = (key: number, name: string, x = key): Row => ({
  geometry: wkb('Point', [x, x]),
  values: [key, name],
})
const before = [row(1, 'a'), row(2, 'b'), row(3, 'c')]
const after = [row(1, 'a'), row(2, 'B'), row(4, 'd')]

async function compare(staged: StagedLoad, keys?: string[]): Promise<TableComparison> {
  assert.ok(staged.compare !== undefined, 'a dry run can be compared')
  return staged.compare(keys, never)
}

async function allChanges(comparison: TableComparison): Promise<RowChange[]> {
  const changes: RowChange[] = []
  for await (const page of comparison.changes()) changes.push(...page)
  return changes
}

async function retainRows(staged: StagedLoad): Promise<string> {
  assert.ok(staged.retainRows !== undefined, 'a dry run can be laid by')
  return staged.retainRows()
}

function requestOf(load: LoadArguments & { loadId: string }): LoadRequest {
  const { rows: _, batches: __, hooks: ___, record: ____, ...request } = load
  return { mode: 'CREATE', table: 'layer', indexes: [], ...request }
}

async function takeUp(store: VectorStore, request: LoadRequest, text: string): Promise<StagedLoad> {
  assert.ok(store.takeUp !== undefined, 'a store with dry runs reuses their data')
  return store.takeUp(request, text, gatheringHooks().hooks)
}

const newId = (): string => `t${randomUUID().slice(0, 8)}`

/** Compares the target before and after `work`: its bytes, or the traces of writes in its database. */
async function unmoved({ trace }: StoreUnderTest, work: () => Promise<void>): Promise<void> {
  const first = await trace()
  await work()
  assert.deepEqual(await trace(), first)
}

export function describeDryRuns(make: MakeStore): void {
  describe('a dry run', () => {
    describeUntouched(make)
    describeRetainedRows(make)
  })
}

function describeUntouched(make: MakeStore): void {
  for (const mode of updateModes) {
    it(
      `of ${mode} leaves the target as it is, and can be committed`,
      withStore(make, async (under) => {
        const { store } = under
        if (mode !== 'CREATE') await loadRows(store, { schema, rows: before })
        await loadRows(store, { table: 'bystander', schema, rows: before })
        await unmoved(under, async () => {
          const { staged } = await stageRows(store, { mode, schema, rows: after, isDryRun: true })
          assert.equal(staged.result.rowsLoaded, 3)
          await allChanges(await compare(staged, ['key']))
          await staged.discard()
          const again = await stageRows(store, { mode, schema, rows: after, isDryRun: true })
          await compare(again.staged)
          await again.staged.discard()
        })
        assert.equal((await store.listTables()).includes('layer'), mode !== 'CREATE')
        const { staged } = await stageRows(store, { mode, schema, rows: after, isDryRun: true })
        await compare(staged, ['key'])
        const result = await commitLoad(staged, async () => {})
        assert.equal(result.rowsLoaded, 3)
        const expected = mode === 'APPEND' ? ['a', 'b', 'c', 'a', 'B', 'd'] : ['a', 'B', 'd']
        assert.deepEqual(await readColumn(store, 'name'), expected)
        const near = [{ minX: 3.5, minY: 3.5, maxX: 4.5, maxY: 4.5 }]
        assert.equal(await store.count({ table: 'layer', bboxes: near }, never), 1)
      }),
    )
  }

  it(
    'of data in a CRS that the store does not know yet enters it with the commit',
    withStore(make, async (under) => {
      const { store } = under
      await loadRows(store, { table: 'bystander', schema, rows: before })
      const other = schemaOf(
        { key: 'int32', name: 'text' },
        { ...(schema.geometry ?? assert.fail()), crs: { srs: 'EPSG:25832' } },
      )
      const given = { schema: other, rows: after, isDryRun: true }
      await unmoved(under, async () => (await stageRows(store, given)).staged.discard())
      const { staged } = await stageRows(store, given)
      await loadRows(store, { table: 'between', schema: { ...other, attributes: [] }, rows: [] })
      await commitLoad(staged, async () => {})
      assert.equal((await store.findTable('layer'))?.schema.geometry?.crs?.srs, 'EPSG:25832')
      assert.deepEqual(
        (await readRows(store)).map(({ geometry }) => geometry),
        after.map(({ geometry }) => geometry),
      )
    }),
  )

  it(
    'of a first table leaves an empty store empty',
    withStore(make, async (under) => {
      await unmoved(under, async () => {
        const { staged } = await stageRows(under.store, { schema, rows: after, isDryRun: true })
        const { counts } = await compare(staged)
        assert.equal(counts.added, 3)
        await staged.discard()
      })
      assert.deepEqual(await under.store.listTables(), [])
    }),
  )

  it(
    'holds up nobody who writes, and compares with what is there by then',
    withStore(make, async ({ store }) => {
      await loadRows(store, { schema, rows: before })
      const { staged } = await stageRows(store, { mode: 'REPLACE', schema, rows: after, isDryRun: true })
      const first = await compare(staged, ['key'])
      assert.deepEqual(first.counts, { added: 1, changed: 1, removed: 1, same: 1 })
      await loadRows(store, { mode: 'APPEND', schema, rows: [row(9, 'z')] })
      assert.equal((await allChanges(first)).length, 3)
      const second = await compare(staged, ['key'])
      assert.deepEqual(second.counts, { added: 1, changed: 1, removed: 2, same: 1 })
      await staged.discard()
      assert.equal((await readRows(store)).length, 4)
    }),
  )

  it(
    'ends with its signal',
    withStore(make, async ({ store }) => {
      await loadRows(store, { schema, rows: before })
      const { staged } = await stageRows(store, { mode: 'REPLACE', schema, rows: after, isDryRun: true })
      const controller = new AbortController()
      controller.abort(new Error('stopped by hand'))
      await assert.rejects(async () => staged.compare?.(['key'], controller.signal), /stopped by hand/)
      assert.equal((await readRows(store)).length, 3)
    }),
  )
}

function describeRetainedRows(make: MakeStore): void {
  for (const mode of updateModes) {
    it(
      `of ${mode} is laid by and taken up by another process`,
      withStore(make, async (under) => {
        const { store, reopen } = under
        if (mode !== 'CREATE') await loadRows(store, { schema, rows: before })
        const load = { loadId: newId(), mode, schema, rows: after, isDryRun: true }
        let text = ''
        await unmoved(under, async () => {
          const { staged } = await stageRows(store, load)
          await compare(staged, ['key'])
          text = await retainRows(staged)
        })
        // Others go on meanwhile.
        await loadRows(store, { table: 'other', schema, rows: before })
        const other = reopen()
        const { isDryRun: _, ...real } = load
        const staged = await takeUp(other, requestOf({ ...real, loadId: newId() }), text)
        assert.equal(staged.result.rowsLoaded, 3)
        const result = await commitLoad(staged, async () => {})
        assert.equal(result.rowsLoaded, 3)
        await other.close()
        const expected = mode === 'APPEND' ? ['a', 'b', 'c', 'a', 'B', 'd'] : ['a', 'B', 'd']
        assert.deepEqual(await readColumn(store, 'name'), expected)
        await assert.rejects(takeUp(store, requestOf({ ...real, loadId: newId() }), text), {
          code: 'staged-gone',
        })
      }),
    )
  }

  it(
    'can be taken up to be compared again, and is laid by once more',
    withStore(make, async (under) => {
      const { store } = under
      await loadRows(store, { schema, rows: before })
      const load = { loadId: newId(), mode: 'REPLACE' as const, schema, rows: after, isDryRun: true }
      await unmoved(under, async () => {
        const first = await retainRows((await stageRows(store, load)).staged)
        const staged = await takeUp(store, requestOf(load), first)
        const { counts } = await compare(staged, ['key'])
        assert.deepEqual(counts, { added: 1, changed: 1, removed: 1, same: 1 })
        const second = await retainRows(staged)
        await (await takeUp(store, requestOf(load), second)).discard()
        await assert.rejects(takeUp(store, requestOf(load), second), { code: 'staged-gone' })
      })
    }),
  )

  it(
    'is refused where the table is another by then, or is swept',
    withStore(make, async ({ store }) => {
      await loadRows(store, { schema, rows: before })
      const load = { loadId: newId(), mode: 'REPLACE' as const, schema, rows: after, isDryRun: true }
      const text = await retainRows((await stageRows(store, load)).staged)
      await store.dropTable('layer')
      await assert.rejects(takeUp(store, requestOf(load), text), { kind: 'conflict', code: 'staged-gone' })
      await loadRows(store, { schema: schemaOf({ key: 'text', name: 'text' }, 'Point'), rows: [] })
      await assert.rejects(takeUp(store, requestOf(load), text), { kind: 'conflict', code: 'staged-gone' })
      await store.dropTable('layer')
      await loadRows(store, { schema, rows: before })
      await store.sweep(load.loadId)
      await assert.rejects(takeUp(store, requestOf(load), text), { kind: 'conflict', code: 'staged-gone' })
      assert.deepEqual(await readColumn(store, 'name'), ['a', 'b', 'c'])
    }),
  )
}
