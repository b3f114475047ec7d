import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attributeTypes } from '../../src/geo/schema.ts'
import type { RowChange, UpsertRules } from '../../src/stores/changes.ts'
import type { VectorStore } from '../../src/stores/store.ts'
import type { Row } from '../support/batches.ts'
import { schemaOf, wkb } from '../support/batches.ts'
import { differenceByKey } from '../support/row-difference.ts'
import { makeTablePair, pairSchema, pairShapes } from '../support/table-pairs.ts'
import type { LoadArguments, LoadOutcome, MakeStore, ReadRow, StoreUnderTest } from './store-session.ts'
import { loadRows, never, readColumn, readRows, stageRows, withStore } from './store-session.ts'

const people = schemaOf({ code: 'int32', name: 'text' }, 'Point')
const person = (code: number | null, name: string | null, x = 0): Row => ({
  geometry: wkb('Point', [x, x]),
  values: [code, name],
})
const byCode: UpsertRules = { keys: ['code'], deletesMissing: false }

/** Runs one upsert to its end. Also returns its changes, as listed before the commit. */
async function upsert(
  store: VectorStore,
  load: Partial<LoadArguments>,
): Promise<LoadOutcome & { changes: RowChange[] }> {
  const { staged, reported: report } = await stageRows(store, {
    schema: people,
    upsert: byCode,
    ...load,
    mode: 'UPSERT',
  })
  const prepared = await staged.prepare()
  const changes: RowChange[] = []
  try {
    assert.ok(prepared.changes !== undefined, 'an upsert tells its changes')
    for await (const page of prepared.changes()) changes.push(...page)
  } catch (error) {
    await prepared.discard()
    throw error
  }
  await prepared.commit()
  return { result: prepared.result, token: prepared.token, ...report, changes }
}

/** Tests upserts; `tests/release/models/stores.test.ts` upserts more pairs of tables. */
export function describeUpserts(make: MakeStore): void {
  describe('UPSERT', () => {
    it('adds new keys, changes what differs, leaves the rest, and tells it', withStore(make, testChanges))
    it('deletes what does not come, on wish', withStore(make, testDeletes))
    it('deletes no row whose key came in a row that was rejected', withStore(make, testSpared))
    it('writes nothing where nothing differs', withStore(make, testTwice))
    it('keeps the values of columns that the source lacks', withStore(make, testLacking))
    it('rejects rows whose key is null or stands in an earlier row', withStore(make, testKeys))
    it('refuses keys that the table has twice, and keys that nobody knows', withStore(make, testAmbiguous))
    it('leaves the table as it was when it is given up', withStore(make, testDiscard))
    it('is a conflict when the table is missing', withStore(make, testMissing))
    it('finds the columns again whose names it had to change', withStore(make, testRenamed))
    describeUpsertedPairs(make, (shape) => upsertedPairs.slice(shape % 2).slice(0, 1))
  })
}

/** Seed of a pair of tables with keys, and whether rows are deleted that do not come. */
export const upsertedPairs: readonly (readonly [seed: number, deletesMissing: boolean])[] = [
  [2, false],
  [4, true],
  [6, true],
]

/** Upserts pairs of tables of every geometry type; `pairsOf` takes the number of the type. */
export function describeUpsertedPairs(
  make: MakeStore,
  pairsOf: (shape: number) => typeof upsertedPairs,
): void {
  for (const [at, shape] of pairShapes.entries()) {
    it(
      `agrees with a model for any rows of ${shape.name}`,
      withStore(make, (under) => testPairs(under, shape, pairsOf(at))),
    )
  }
}

async function testChanges({ store }: StoreUnderTest): Promise<void> {
  await loadRows(store, {
    schema: people,
    rows: [person(1, 'a'), person(2, 'b'), person(3, 'c'), person(4, null)],
  })
  const before = await readRows(store)
  const { result, changes, rejects } = await upsert(store, {
    rows: [person(3, 'c'), person(2, 'B'), person(1, 'a', 5), person(9, 'new', 7), person(4, '')],
  })
  assert.deepEqual([result.rowsLoaded, rejects], [5, []])
  assert.deepEqual(result.changes, { added: 1, changed: 3, removed: 0, same: 1 })
  const after = await readRows(store)
  assert.deepEqual(
    after.map(({ id, values }) => [id, ...values]),
    [
      [before[0]?.id, 1, 'a'],
      [before[1]?.id, 2, 'B'],
      [before[2]?.id, 3, 'c'],
      [before[3]?.id, 4, ''],
      [after[4]?.id, 9, 'new'],
    ],
  )
  assert.deepEqual(after[0]?.geometry, wkb('Point', [5, 5]))
  const reported = changes
    .map(({ change, featureId, before: old, after: now }) => [
      change,
      featureId,
      old?.values['name'],
      now?.values['name'],
    ])
    .sort((a, b) => Number(a[1]) - Number(b[1]))
  assert.deepEqual(reported, [
    ['changed', before[0]?.id, 'a', 'a'],
    ['changed', before[1]?.id, 'b', 'B'],
    ['changed', before[3]?.id, null, ''],
    ['added', after[4]?.id, undefined, 'new'],
  ])
  assert.deepEqual((await store.findTable('layer'))?.envelope, { minX: 0, minY: 0, maxX: 7, maxY: 7 })
  const near = { minX: 4, minY: 4, maxX: 8, maxY: 8 }
  assert.equal(await store.count({ table: 'layer', bboxes: [near] }, never), 2)
}

async function testDeletes({ store }: StoreUnderTest): Promise<void> {
  await loadRows(store, {
    schema: people,
    rows: [person(1, 'a'), person(2, 'b'), person(null, 'c'), person(null, 'd')],
  })
  const [first] = await readRows(store)
  const rows = [person(1, 'A')]
  const { result, changes } = await upsert(store, { rows, upsert: { keys: ['code'], deletesMissing: true } })
  assert.deepEqual(result.changes, { added: 0, changed: 1, removed: 3, same: 0 })
  assert.deepEqual(
    changes.map(({ change }) => change),
    ['removed', 'removed', 'removed', 'changed'],
  )
  assert.deepEqual(await readRows(store), [
    { id: first?.id, geometry: wkb('Point', [0, 0]), values: [1, 'A'] },
  ])
}

async function testSpared({ store }: StoreUnderTest): Promise<void> {
  await loadRows(store, { schema: people, rows: [1, 2, 3, 4].map((code) => person(code, `"${code}é`)) })
  const spare = (keys: string[], spared: string[][], hasUnknown = false): Partial<LoadArguments> => ({
    rows: [person(1, '"1é')],
    upsert: { keys, deletesMissing: true, spared: () => ({ keys: spared, hasUnknown }) },
  })
  const first = await upsert(store, spare(['code'], [['003.0'], ['x'], ['3 or more'], ['-4']]))
  assert.deepEqual(first.result.changes, { added: 0, changed: 0, removed: 2, same: 1 })
  assert.deepEqual(
    first.changes.map(({ before }) => before?.values['code']),
    [2, 4],
  )
  const both = await upsert(
    store,
    spare(
      ['code', 'name'],
      [
        ['3', '"3é'],
        ['3', '\0\ud800'],
      ],
    ),
  )
  assert.deepEqual([both.result.changes?.removed, both.changes], [0, []])
  const unknown = await upsert(store, spare(['code'], [], true))
  assert.equal(unknown.result.changes?.removed, 0)
  const otherwise = await upsert(store, spare(['name'], [['3'], ['"3e']]))
  assert.equal(otherwise.result.changes?.removed, 1)
  assert.deepEqual(await readColumn(store, 'code'), [1])
}

async function testTwice({ store }: StoreUnderTest): Promise<void> {
  const rows = [person(1, 'a'), person(2, null), person(3, '')]
  await loadRows(store, { schema: people, rows })
  const { result, changes } = await upsert(store, { rows, upsert: { keys: ['code'], deletesMissing: true } })
  assert.deepEqual([result.changes, changes], [{ added: 0, changed: 0, removed: 0, same: 3 }, []])
}

async function testLacking({ store }: StoreUnderTest): Promise<void> {
  await loadRows(store, { schema: people, rows: [person(1, 'a', 3), person(2, 'b', 4)] })
  const schema = schemaOf({ Name: 'text', CODE: 'int64' })
  const rows = [{ values: ['A', 1n] }, { values: ['c', 3n] }]
  const { result } = await upsert(store, { schema, rows })
  assert.deepEqual(result.changes, { added: 1, changed: 1, removed: 0, same: 0 })
  const after = await readRows(store)
  assert.deepEqual(
    after.map(({ values }) => values),
    [
      [1, 'A'],
      [2, 'b'],
      [3, 'c'],
    ],
  )
  assert.deepEqual(
    after.map(({ geometry }) => geometry),
    [wkb('Point', [3, 3]), wkb('Point', [4, 4]), null],
  )
}

async function testKeys({ store }: StoreUnderTest): Promise<void> {
  await loadRows(store, { schema: people, rows: [person(1, 'a'), person(2, 'b')] })
  const { result, rejects } = await upsert(store, {
    rows: [person(2, 'first'), person(null, 'x'), person(5, 'y'), person(2, 'second'), person(5, 'z')],
  })
  assert.deepEqual(result.changes, { added: 1, changed: 1, removed: 0, same: 0 })
  assert.deepEqual(rejects.map(({ row, field }) => [row, field]).sort(), [
    [2, 'code'],
    [4, 'code'],
    [5, 'code'],
  ])
  const reasonOf = (row: number): string => rejects.find((reject) => reject.row === row)?.reason ?? ''
  assert.match(reasonOf(2), /null/)
  assert.match(reasonOf(4), /\b1\b.*code = 2/)
  assert.match(reasonOf(5), /\b3\b.*code = 5/)
  assert.deepEqual(await readColumn(store, 'name'), ['a', 'first', 'y'])
}

async function testAmbiguous({ store }: StoreUnderTest): Promise<void> {
  await loadRows(store, {
    schema: people,
    rows: [person(1, 'a'), person(1, 'b'), person(null, 'c'), person(null, 'd')],
  })
  const before = await readRows(store)
  await assert.rejects(upsert(store, { rows: [person(7, 'x')] }), { kind: 'conflict', code: 'ambiguous-key' })
  for (const keys of [[], ['nothing'], ['code', 'nothing']]) {
    const rules = { keys, deletesMissing: false }
    await assert.rejects(upsert(store, { rows: [person(7, 'x')], upsert: rules }), {
      kind: 'invalid',
      code: 'invalid-keys',
    })
  }
  await upsert(store, {
    rows: [person(1, 'b', 8)],
    upsert: { keys: ['name', 'code'], deletesMissing: false },
  })
  const after = await readRows(store)
  assert.deepEqual(
    after.map(({ id, values }) => [id, values]),
    before.map(({ id, values }) => [id, values]),
  )
  assert.deepEqual(after[1]?.geometry, wkb('Point', [8, 8]))
}

/**
 * Tests names with blanks, another name for the id, names that are too long and start alike, and names that
 * differ only in case.
 */
async function testRenamed({ store }: StoreUnderTest): Promise<void> {
  const long = 'ä'.repeat(130)
  const names = ['tree no', 'fid', `${long}1`, `${long}2`, 'Straße Nr', 'a b', 'a_b', 'X', 'x']
  const schema = schemaOf(Object.fromEntries(names.map((name) => [name, 'int32' as const])), 'Point')
  const row = (n: number, by = 0): Row => ({
    geometry: wkb('Point', [n, n]),
    values: names.map((_, at) => n * 100 + at + by),
  })
  await loadRows(store, { schema, rows: [row(1), row(2)] })
  const key = (await store.findTable('layer'))?.schema.attributes[0]?.name ?? ''
  const load = { schema, upsert: { keys: [key], deletesMissing: false } }
  const same = await upsert(store, { ...load, rows: [row(1), row(2)] })
  assert.deepEqual(same.result.changes, { added: 0, changed: 0, removed: 0, same: 2 })
  assert.deepEqual(same.messages, [])
  await loadRows(store, { schema, rows: [row(3)], mode: 'APPEND' })
  const values = (await readRows(store)).map((one) => one.values)
  assert.deepEqual(
    values,
    [1, 2, 3].map((n) => row(n).values),
  )
}

async function testDiscard({ store }: StoreUnderTest): Promise<void> {
  await loadRows(store, { schema: people, rows: [person(1, 'a'), person(2, 'b')] })
  const before = await readRows(store)
  const load: LoadArguments = {
    schema: people,
    mode: 'UPSERT',
    upsert: { keys: ['code'], deletesMissing: true },
    rows: [person(1, 'x'), person(3, 'y')],
  }
  const { staged } = await stageRows(store, load)
  assert.deepEqual(await readRows(store), before)
  await staged.discard()
  const again = await stageRows(store, load)
  await (await again.staged.prepare()).discard()
  assert.deepEqual(await readRows(store), before)
}

async function testMissing({ store }: StoreUnderTest): Promise<void> {
  await assert.rejects(upsert(store, { rows: [person(1, 'a')] }), { kind: 'conflict', code: 'table-missing' })
}

/** Checks that rows which appear again keep their position and id, in any case; new rows follow. */
async function testPairs(
  under: StoreUnderTest,
  shape: (typeof pairShapes)[number],
  pairs: typeof upsertedPairs,
): Promise<void> {
  const { store } = under
  for (const [seed, deletesMissing] of pairs) {
    const table = `pair${seed}`
    const types = attributeTypes.filter((type) => !under.lacks.includes(type))
    const schema = pairSchema(shape, types)
    const { before, after } = makeTablePair(schema, seed)
    await loadRows(store, { table, schema, rows: before })
    await loadRows(store, { table: `${table}_new`, schema, rows: after })
    const [old, coming] = [await readRows(store, { table }), await readRows(store, { table: `${table}_new` })]
    const { result, changes } = await upsert(store, {
      table,
      schema,
      rows: after,
      upsert: { keys: ['key'], deletesMissing },
    })
    const model = differenceByKey(old, coming, [0])
    const expected = deletesMissing ? model : { ...model, removed: 0 }
    assert.deepEqual(result.changes, expected, `seed ${seed}`)
    assert.equal(changes.length, expected.added + (expected.changed ?? 0) + expected.removed)
    checkRows(await readRows(store, { table }), { old, coming, deletesMissing })
  }
}

/** A zero and its negative are the same value: nothing is written for it. */
const alike = (row: ReadRow): ReadRow => ({
  ...row,
  values: row.values.map((value) => (value === 0 ? 0 : value)),
})

function checkRows(
  found: ReadRow[],
  { old, coming, deletesMissing }: { old: ReadRow[]; coming: ReadRow[]; deletesMissing: boolean },
): void {
  const newest = new Map(coming.map((row) => [row.values[0], row]))
  const known = new Set(old.map(({ values }) => values[0]))
  const stay = old
    .filter(({ values }) => !deletesMissing || newest.has(values[0]))
    .map((row) => ({ ...row, ...newest.get(row.values[0]), id: row.id }))
  const added = coming.filter(({ values }) => !known.has(values[0]))
  assert.deepEqual(found.slice(0, stay.length).map(alike), stay.map(alike))
  assert.deepEqual(
    found.slice(stay.length).map((row) => ({ ...alike(row), id: '' })),
    added.map((row) => ({ ...alike(row), id: '' })),
  )
}
