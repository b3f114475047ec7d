import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attributeTypes } from '../../src/geo/schema.ts'
import type { ChangeCounts, RowChange, TableComparison } from '../../src/stores/changes.ts'
import { commitLoad } from '../../src/stores/commit-load.ts'
import type { StagedLoad, VectorStore } from '../../src/stores/store.ts'
import type { Row } from '../support/batches.ts'
import { schemaOf, wkb } from '../support/batches.ts'
import { differenceByKey, differenceByRows } from '../support/row-difference.ts'
import { makeTablePair, pairSchema, pairShapes } from '../support/table-pairs.ts'
import type { LoadArguments, MakeStore, ReadRow, StoreUnderTest } from './store-session.ts'
import { loadRows, never, readRows, stageRows, withStore } from './store-session.ts'

/** Staged loads to discard at the end of a test, even if it fails. */
const opened = new WeakMap<VectorStore, StagedLoad[]>()

/** Stages a dry run and compares it; the caller continues with `staged`. */
async function performDryRun(store: VectorStore, load: LoadArguments, keys?: string[]) {
  const { staged, reported: report } = await stageRows(store, { ...load, isDryRun: true })
  opened.get(store)?.push(staged)
  assert.ok(staged.compare !== undefined, 'a dry run compares')
  const comparison = await staged.compare(keys, never)
  return { staged, reported: report, comparison, changes: await changesOf(comparison) }
}

async function changesOf(comparison: TableComparison): Promise<RowChange[]> {
  const changes: RowChange[] = []
  for await (const page of comparison.changes()) changes.push(...page)
  return changes
}

const tally = (changes: RowChange[], change: RowChange['change']): number =>
  changes.filter((one) => one.change === change).length

function checkList(changes: RowChange[], { added, changed, removed }: ChangeCounts): void {
  assert.deepEqual(
    [tally(changes, 'added'), tally(changes, 'changed'), tally(changes, 'removed')],
    [added, changed ?? 0, removed],
  )
  const order = changes.map(({ change }) => (change === 'removed' ? 0 : 1))
  assert.deepEqual(order, order.toSorted(), 'removed rows come first')
  for (const { change, before, after } of changes) {
    assert.equal(before === undefined, change === 'added')
    assert.equal(after === undefined, change === 'removed')
  }
}

/** Runs `test`, and takes away what it leaves staged. */
function runningDryRun(make: MakeStore, test: (under: StoreUnderTest) => Promise<void>) {
  return withStore(make, async (under) => {
    const staged: StagedLoad[] = []
    opened.set(under.store, staged)
    try {
      await test(under)
    } finally {
      for (const one of staged) await one.discard()
    }
  })
}

const people = schemaOf({ code: 'int32', name: 'text' }, 'Point')
const person = (code: number | null, name: string | null, x = 0): Row => ({
  geometry: wkb('Point', [x, x]),
  values: [code, name],
})

/** Tests comparisons; `tests/release/models/stores.test.ts` compares more pairs of tables. */
export function describeComparing(make: MakeStore): void {
  describe('comparing', () => {
    it(
      'finds by whole rows what a replacement adds and removes, each as often as it occurs',
      runningDryRun(make, testMultiset),
    )
    it('finds by keys what a replacement changes', runningDryRun(make, testKeys))
    it(
      'counts of an upsert the rows that come: each is added, changed or the same',
      runningDryRun(make, testUpsert),
    )
    it('compares whole rows where the keys of a side are null or repeated', runningDryRun(make, testBadKeys))
    it('counts everything as added by what makes or appends', runningDryRun(make, testAdditions))
    it('takes values for the same that the table holds alike', runningDryRun(make, testValues))
    // Odd seeds have no keys, even ones have.
    describeComparedPairs(make, (shape) => [1 + (shape % 2)])
  })
}

/** Compares pairs of tables of every geometry type; `seedsOf` takes the number of the type. */
export function describeComparedPairs(make: MakeStore, seedsOf: (shape: number) => number[]): void {
  for (const [at, shape] of pairShapes.entries()) {
    it(
      `agrees with the real load for any rows of ${shape.name}`,
      runningDryRun(make, (under) => testPairs(under, shape, seedsOf(at))),
    )
  }
}

async function testMultiset({ store }: StoreUnderTest): Promise<void> {
  await loadRows(store, {
    schema: people,
    rows: [person(1, 'a'), person(1, 'a'), person(1, 'a'), person(2, 'b', 7), person(3, null)],
  })
  const { staged, comparison, changes } = await performDryRun(store, {
    mode: 'REPLACE',
    schema: people,
    rows: [person(3, null), person(1, 'a'), person(2, 'b', 8), person(4, 'd', 9), person(4, 'd', 9)],
  })
  assert.deepEqual(comparison.counts, { added: 3, changed: null, removed: 3, same: 2 })
  assert.deepEqual([comparison.matchedBy, comparison.notTried], [[], []])
  assert.deepEqual(comparison.bounds, { minX: 0, minY: 0, maxX: 9, maxY: 9 })
  checkList(changes, comparison.counts)
  assert.deepEqual(
    changes.filter(({ change }) => change === 'removed').map(({ before }) => before?.values),
    [
      { code: 1, name: 'a' },
      { code: 1, name: 'a' },
      { code: 2, name: 'b' },
    ],
  )
  assert.ok(changes.every(({ change, featureId }) => (featureId === undefined) === (change === 'added')))
  assert.deepEqual(changes.at(-1)?.after?.geometry, wkb('Point', [9, 9]))
  await staged.discard()
  assert.equal((await readRows(store)).length, 5)
}

async function testUpsert({ store }: StoreUnderTest): Promise<void> {
  const rows = [1, 2, 3, 4, 5, 6].map((code) => person(code, 'a'))
  await loadRows(store, { schema: people, rows })
  for (const [deletesMissing, removed] of [
    [false, 0],
    [true, 4],
  ] as const) {
    const { staged, comparison } = await performDryRun(store, {
      mode: 'UPSERT',
      upsert: { keys: ['code'], deletesMissing },
      schema: people,
      rows: [person(1, 'a'), person(2, 'B'), person(9, 'new')],
    })
    assert.deepEqual(comparison.counts, { added: 1, changed: 1, removed, same: 1 })
    await staged.discard()
  }
}

async function testKeys({ store }: StoreUnderTest): Promise<void> {
  await loadRows(store, {
    schema: people,
    rows: [person(1, 'a'), person(2, 'b', 5), person(3, 'c'), person(4, 'd')],
  })
  const ids = (await readRows(store)).map(({ id }) => id)
  const { staged, comparison, changes } = await performDryRun(
    store,
    {
      mode: 'REPLACE',
      schema: people,
      rows: [person(4, 'd'), person(2, 'B', 5), person(3, 'c', 6), person(9, 'new', 7)],
    },
    ['code'],
  )
  assert.deepEqual(comparison.counts, { added: 1, changed: 2, removed: 1, same: 1 })
  assert.deepEqual(comparison.matchedBy, ['code'])
  assert.deepEqual(comparison.bounds, { minX: 0, minY: 0, maxX: 7, maxY: 7 })
  checkList(changes, comparison.counts)
  const changed = changes.filter(({ change }) => change === 'changed')
  assert.deepEqual(
    changed.map(({ featureId, before, after }) => [featureId, before?.values, after?.values]),
    [
      [ids[1], { code: 2, name: 'b' }, { code: 2, name: 'B' }],
      [ids[2], { code: 3, name: 'c' }, { code: 3, name: 'c' }],
    ],
  )
  assert.deepEqual(
    [changed[1]?.before?.geometry, changed[1]?.after?.geometry],
    [wkb('Point', [0, 0]), wkb('Point', [6, 6])],
  )
  await staged.discard()
}

async function testBadKeys({ store }: StoreUnderTest): Promise<void> {
  await loadRows(store, { schema: people, rows: [person(1, 'a'), person(2, 'b')] })
  for (const rows of [
    [person(1, 'a'), person(1, 'x')],
    [person(1, 'a'), person(null, 'x')],
  ]) {
    const { staged, comparison } = await performDryRun(store, { mode: 'REPLACE', schema: people, rows }, [
      'code',
    ])
    assert.deepEqual(comparison.counts, { added: 1, changed: null, removed: 1, same: 1 })
    assert.deepEqual(comparison.matchedBy, [])
    await staged.discard()
  }
  await assert.rejects(
    performDryRun(store, { mode: 'REPLACE', schema: people, rows: [person(1, 'a')] }, ['nothing']),
    { kind: 'invalid', code: 'invalid-keys' },
  )
}

async function testAdditions({ store }: StoreUnderTest): Promise<void> {
  const rows = [person(1, 'a', 2), person(2, 'b', 5)]
  const made = await performDryRun(store, { schema: people, rows })
  const counts = { added: 2, changed: 0, removed: 0, same: 0 }
  assert.deepEqual(made.comparison.counts, counts)
  assert.deepEqual(await store.listTables(), [])
  await commitLoad(made.staged, async () => {})
  const more = await performDryRun(store, { mode: 'APPEND', schema: people, rows })
  assert.deepEqual([more.comparison.counts, more.comparison.matchedBy], [counts, []])
  assert.deepEqual(more.comparison.bounds, { minX: 2, minY: 2, maxX: 5, maxY: 5 })
  checkList(more.changes, counts)
  assert.deepEqual(
    more.changes.map(({ after }) => after?.values),
    [
      { code: 1, name: 'a' },
      { code: 2, name: 'b' },
    ],
  )
  assert.equal((await readRows(store)).length, 2)
  await commitLoad(more.staged, async () => {})
  assert.equal((await readRows(store)).length, 4)
}

async function testValues({ store }: StoreUnderTest): Promise<void> {
  const narrow = schemaOf({ key: 'int16', f: 'float32', t: 'text' }, 'MultiPoint')
  const wide = schemaOf({ key: 'int64', f: 'float64', t: 'text' }, 'Point')
  await loadRows(store, {
    schema: narrow,
    rows: [
      [1, 0.1, ''],
      [2, -0, null],
      [3, Number.NaN, 'a'],
    ].map((values) => ({ geometry: wkb('MultiPoint', [[1, 1]]), values: values as Row['values'] })),
  })
  const rows = [
    [1n, 0.1, ''],
    [2n, 0, ''],
    [3n, Number.NaN, 'A'],
  ].map((values) => ({ geometry: wkb('Point', [1, 1]), values: values as Row['values'] }))
  const { staged, comparison, changes } = await performDryRun(
    store,
    { mode: 'REPLACE', schema: wide, rows },
    ['key'],
  )
  assert.deepEqual(comparison.counts, { added: 0, changed: 2, removed: 0, same: 1 })
  assert.deepEqual(
    changes.map(({ before, after }) => [before?.values['t'], after?.values['t']]),
    [
      [null, ''],
      ['a', 'A'],
    ],
  )
  await staged.discard()
}

/**
 * Compares a dry run, the real load, and the difference between the rows before and after, with a model in
 * memory.
 */
async function testPairs(
  under: StoreUnderTest,
  shape: (typeof pairShapes)[number],
  seeds: number[],
): Promise<void> {
  const { store } = under
  for (const seed of seeds) {
    const table = `pair${seed}`
    const types = attributeTypes.filter((type) => !under.lacks.includes(type))
    const schema = pairSchema(shape, types)
    const { before, after, hasKeys } = makeTablePair(schema, seed)
    await loadRows(store, { table, schema, rows: before })
    const old = await readRows(store, { table })
    const keys = hasKeys ? ['key'] : undefined
    const { staged, comparison, changes } = await performDryRun(
      store,
      { table, mode: 'REPLACE', schema, rows: after },
      keys,
    )
    checkList(changes, comparison.counts)
    assert.deepEqual(await readRows(store, { table }), old, 'a dry run changes nothing')
    await commitLoad(staged, async () => {})
    const now: ReadRow[] = await readRows(store, { table })
    const expected = hasKeys ? differenceByKey(old, now, [0]) : differenceByRows(old, now)
    assert.deepEqual(comparison.counts, expected, `seed ${seed}`)
  }
}
