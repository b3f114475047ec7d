import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { seededRandom } from '../../bench/random.ts'
import { commitLoad } from '../../src/stores/commit-load.ts'
import type { LoadResult, TableSnapshot, TableStates, VectorStore } from '../../src/stores/store.ts'
import type { Row } from '../support/batches.ts'
import { rowsOf, schemaOf, wkb } from '../support/batches.ts'
import type { MakeStore, ReadRow, StoreUnderTest } from './store-session.ts'
import { gatheringHooks, loadRows, never, readColumn, readRows, withStore } from './store-session.ts'

const schema = schemaOf({ key: 'int32', name: 'text' }, 'Point')
const row = (key: number, name: string, x = key): Row => ({
  geometry: wkb('Point', [x, x]),
  values: [key, name],
})
const first = [row(1, 'a'), row(2, 'b'), row(3, 'c')]
const second = [row(1, 'A'), row(9, 'z')]

function keeping(make: MakeStore, test: (under: StoreUnderTest, states: TableStates) => Promise<void>) {
  return withStore(make, async (under) => {
    const { states } = under.store
    assert.ok(states !== undefined, 'a store that takes loads keeps states')
    await test(under, states)
  })
}

function keptOf({ kept }: LoadResult): TableSnapshot {
  assert.ok(kept !== undefined && 'id' in kept, `kept: ${JSON.stringify(kept)}`)
  return kept
}

async function restore(
  states: TableStates,
  path: readonly TableSnapshot[],
  keepAs?: string,
  table = 'layer',
): Promise<LoadResult> {
  const request = {
    loadId: `t${randomUUID().slice(0, 8)}`,
    table,
    path,
    ...(keepAs === undefined ? {} : { keepAs }),
  }
  return commitLoad(await states.stageRestore(request, gatheringHooks().hooks), async () => {})
}

async function readState(
  states: TableStates,
  path: readonly TableSnapshot[],
  table = 'layer',
): Promise<ReadRow[]> {
  const rows: ReadRow[] = []
  for await (const { batch, ids } of states.read(table, path, never)) {
    rowsOf(batch).forEach((read, index) => {
      rows.push({ ...read, id: ids[index] ?? '' })
    })
  }
  return rows
}

/** Everything that readers see of a table. */
async function look(store: VectorStore): Promise<unknown> {
  const corner = [{ minX: 0, minY: 0, maxX: 2.5, maxY: 2.5 }]
  return {
    tables: (await store.listTables()).sort(),
    table: await store.findTable('layer'),
    rows: await readRows(store),
    near: await store.count({ table: 'layer', bboxes: corner }, never),
  }
}

/** Tests stored states; `tests/release/models/stores.test.ts` runs more sequences of loads and restores. */
export function describeStates(make: MakeStore): void {
  describe('states of tables', () => {
    describeKeeping(make)
    describePuttingAside(make)
    describeStateSequences(make, [1])
  })
}

/** Runs a random sequence of loads and restores for each seed. */
export function describeStateSequences(make: MakeStore, seeds: number[]): void {
  for (const seed of seeds) {
    it(
      `are what a model in memory says, whatever was done (${seed})`,
      keeping(make, async (under, states) => testSequence(under, states, seed)),
    )
  }
}

function describeKeeping(make: MakeStore): void {
  it(
    'are kept by REPLACE, seen by nobody, and read',
    keeping(make, async ({ store }, states) => {
      await loadRows(store, { schema, rows: first })
      const before = await look(store)
      const rows = await readRows(store)
      const kept = keptOf(
        (await loadRows(store, { mode: 'REPLACE', schema, rows: second, keepAs: 'k1' })).result,
      )
      assert.deepEqual([kept.id, kept.table.featureCount, kept.table.name], ['k1', 3, 'layer'])
      assert.ok(kept.sizeBytes > 0 && kept.sizeBytes < 1e6, `${kept.sizeBytes} bytes`)
      assert.deepEqual(await states.list(), ['k1'])
      assert.deepEqual(await store.listTables(), ['layer'])
      assert.deepEqual(await readColumn(store, 'name'), ['A', 'z'])
      assert.deepEqual(await readState(states, [kept]), rows)
      assert.notDeepEqual(await look(store), before)
    }),
  )

  it(
    'are brought back, the present one kept in its turn',
    keeping(make, async ({ store }, states) => {
      await loadRows(store, { schema, rows: first, indexes: ['key'] })
      const old = await look(store)
      const kept = keptOf(
        (await loadRows(store, { mode: 'REPLACE', schema, rows: second, keepAs: 'k1' })).result,
      )
      const later = await look(store)
      const result = await restore(states, [kept], 'k2')
      assert.equal(result.rowsLoaded, 3)
      assert.deepEqual(await look(store), old)
      const next = keptOf(result)
      assert.equal(next.id, 'k2')
      assert.ok((await states.list()).includes('k2'))
      await restore(states, [next])
      assert.deepEqual(await look(store), later)
      const more = await loadRows(store, { mode: 'APPEND', schema, rows: [row(5, 'e')] })
      assert.equal(more.result.rowsLoaded, 1)
      assert.equal(new Set((await readRows(store)).map(({ id }) => id)).size, 3)
    }),
  )

  it(
    'show nothing before the commit, which its token tells of, and nothing after a discard',
    keeping(make, async ({ store, reopen }, states) => {
      await loadRows(store, { schema, rows: first })
      const kept = keptOf(
        (await loadRows(store, { mode: 'REPLACE', schema, rows: second, keepAs: 'k1' })).result,
      )
      const present = await look(store)
      const request = { loadId: `t${randomUUID().slice(0, 8)}`, table: 'layer', path: [kept], keepAs: 'k2' }
      const staged = await states.stageRestore(request, gatheringHooks().hooks)
      assert.deepEqual(await look(store), present)
      await staged.discard()
      const again = await (await states.stageRestore(request, gatheringHooks().hooks)).prepare()
      const other = reopen()
      assert.deepEqual(await look(other), present)
      assert.equal(await other.outcome(again.token), 'absent')
      await again.discard()
      assert.deepEqual([await look(store), await states.list()], [present, ['k1']])
      const last = await (await states.stageRestore(request, gatheringHooks().hooks)).prepare()
      await last.commit()
      assert.equal(await other.outcome(last.token), 'committed')
      assert.deepEqual(await readColumn(other, 'name'), ['a', 'b', 'c'])
      await other.close()
    }),
  )

  it(
    'are dropped, once and for all',
    keeping(make, async ({ store }, states) => {
      assert.deepEqual(await states.list(), [])
      await states.drop({ id: 'never' })
      await loadRows(store, { schema, rows: first })
      const kept = keptOf(
        (await loadRows(store, { mode: 'REPLACE', schema, rows: second, keepAs: 'k1' })).result,
      )
      await states.drop(kept)
      await states.drop(kept)
      assert.deepEqual(await states.list(), [])
      await assert.rejects(restore(states, [kept]), { kind: 'conflict', code: 'not-restorable' })
      await assert.rejects(readState(states, [kept]), { kind: 'conflict', code: 'not-restorable' })
      assert.deepEqual(await readColumn(store, 'name'), ['A', 'z'])
    }),
  )

  it(
    'are not kept by a load that is given up',
    keeping(make, async ({ store }, states) => {
      await loadRows(store, { schema, rows: first })
      const present = await look(store)
      const refuse = async (): Promise<void> => {
        throw new Error('too many rejects')
      }
      for (const mode of ['REPLACE', 'APPEND'] as const) {
        const load = { mode, schema, rows: second, keepAs: 'k1', record: refuse }
        await assert.rejects(loadRows(store, load), /too many rejects/)
      }
      assert.deepEqual([await look(store), await states.list()], [present, []])
    }),
  )
}

function describePuttingAside(make: MakeStore): void {
  it(
    'are what is left of a table that is put aside, and make it again',
    keeping(make, async ({ store }, states) => {
      await loadRows(store, { schema, rows: first, indexes: ['name'] })
      await loadRows(store, { table: 'bystander', schema, rows: second })
      const before = await look(store)
      const rows = await readRows(store)
      const kept = await states.putAside('layer', 'gone')
      assert.ok('id' in kept)
      assert.deepEqual(await store.listTables(), ['bystander'])
      assert.equal(await store.findTable('layer'), undefined)
      assert.deepEqual(await states.list(), ['gone'])
      assert.deepEqual(await readState(states, [kept]), rows)
      await restore(states, [kept])
      assert.deepEqual(await look(store), before)
      assert.match(JSON.stringify(await states.putAside('nothing', 'x')), /^{"reason":/)
    }),
  )
}

/** Content that the table had: its rows, and the form in which it is stored. */
interface Content {
  rows: ReadRow[]
  kept?: TableSnapshot
  /** Content that this difference is based on. */
  base?: Content
}

function pathTo(content: Content): TableSnapshot[] {
  if (content.kept === undefined) return []
  if (content.kept.form === 'whole') return [content.kept]
  return [...(content.base === undefined ? [] : pathTo(content.base)), content.kept]
}

/**
 * Returns true if a content can be restored: it is stored whole, or as a difference from one that can be
 * restored or is the present one.
 */
function isReachable(content: Content, present: Content): boolean {
  if (content.kept === undefined) return content === present
  if (content.kept.form === 'whole') return true
  return content.base !== undefined && isReachable(content.base, present)
}

/** Runs random loads and restores, and checks that every stored content has its original rows. */
async function testSequence({ store }: StoreUnderTest, states: TableStates, seed: number): Promise<void> {
  const random = seededRandom(seed * 101)
  const upTo = (count: number): number => Math.floor(random() * count)
  await loadRows(store, { schema, rows: first, indexes: ['key'] })
  let present: Content = { rows: await readRows(store) }
  const contents: Content[] = []
  for (let step = 0; step < 14; step += 1) {
    const keepAs = `s${seed}_${step}`
    const goals = contents.filter((content) => content !== present && isReachable(content, present))
    const goal = random() < 0.35 ? goals[upTo(goals.length)] : undefined
    let result: LoadResult
    if (goal === undefined) {
      const rows = Array.from({ length: 1 + upTo(6) }, (_, n) => row(n + upTo(3) * 10, `${step}`, upTo(50)))
      const mode = (['REPLACE', 'APPEND', 'APPEND', 'REPLACE'] as const)[upTo(4)] ?? 'APPEND'
      result = (await loadRows(store, { mode, schema, rows, keepAs })).result
    } else {
      result = await restore(states, pathTo(goal), keepAs)
    }
    const { kept } = result
    const next = goal ?? { rows: await readRows(store) }
    if (goal !== undefined) assert.deepEqual(await readRows(store), goal.rows, `step ${step}`)
    if (kept !== undefined && 'id' in kept) {
      present.kept = kept
      present.base = next
      if (!contents.includes(present)) contents.push(present)
    }
    delete next.kept
    delete next.base
    present = next
    for (const content of contents) {
      if (content === present || !isReachable(content, present)) continue
      assert.deepEqual(await readState(states, pathTo(content)), content.rows, `step ${step}`)
    }
  }
  for (const id of await states.list()) await states.drop({ id })
  assert.deepEqual(await states.list(), [])
  assert.deepEqual(await readRows(store), present.rows)
}
