import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attributeTypes } from '../../src/geo/schema.ts'
import type { Row } from '../support/batches.ts'
import { schemaOf, wkb } from '../support/batches.ts'
import type { MakeStore } from './store-session.ts'
import { loadRows, never, readColumn, readRows, withStore } from './store-session.ts'

const people = schemaOf({ Name: 'text', age: 'int32' }, 'Point')
const person = (name: string, age: number, x = 0): Row => ({
  geometry: wkb('Point', [x, x]),
  values: [name, age],
})
const ids = (rows: { id: string }[]): string[] => rows.map(({ id }) => id)

export function describeUpdates(make: MakeStore): void {
  describe('REPLACE', () => {
    it(
      'swaps the rows, keeps the columns of the table, and names what does not match',
      withStore(make, async ({ store }) => {
        await loadRows(store, { schema: people, rows: [person('a', 1), person('b', 2)] })
        const { result, messages } = await loadRows(store, {
          mode: 'REPLACE',
          schema: schemaOf({ extra: 'text', NAME: 'text' }, 'Point'),
          rows: [{ geometry: wkb('Point', [50, 50]), values: ['x', 'c'] }],
        })
        assert.equal(result.rowsLoaded, 1)
        const found = await store.findTable('layer')
        assert.deepEqual(
          found?.schema.attributes.map(({ name }) => name),
          ['Name', 'age'],
        )
        assert.deepEqual((await readRows(store))[0]?.values, ['c', null])
        assert.deepEqual(found?.envelope, { minX: 50, minY: 50, maxX: 50, maxY: 50 })
        assert.ok(messages.some(({ message }) => message.includes('"extra"')))
        assert.ok(messages.some(({ message }) => message.includes('"age"')))
        const near = { minX: -1, minY: -1, maxX: 1, maxY: 1 }
        assert.equal(await store.count({ table: 'layer', bboxes: [near] }, never), 0)
        assert.equal(
          await store.count({ table: 'layer', bboxes: [{ ...near, maxX: 60, maxY: 60 }] }, never),
          1,
        )
      }),
    )

    it(
      'creates the table when there is none',
      withStore(make, async ({ store }) => {
        await loadRows(store, { mode: 'REPLACE', schema: people, rows: [person('a', 1)] })
        assert.deepEqual(await readColumn(store, 'Name'), ['a'])
      }),
    )

    it(
      'can be done again and again',
      withStore(make, async ({ store }) => {
        for (let round = 0; round < 3; round += 1)
          await loadRows(store, {
            mode: 'REPLACE',
            schema: people,
            rows: [person(`r${round}`, round, round)],
          })
        assert.deepEqual(await readColumn(store, 'Name'), ['r2'])
      }),
    )
  })

  describe('APPEND', () => {
    it(
      'takes blank text for null in columns of every other type',
      withStore(make, async ({ store }) => {
        const columns = Object.fromEntries(attributeTypes.map((type) => [`c_${type}`, type] as const))
        const texts = Object.fromEntries(attributeTypes.map((type) => [`c_${type}`, 'text'] as const))
        await loadRows(store, { schema: schemaOf(columns) })
        const rows = ['', ' '].map((blank) => ({ values: attributeTypes.map(() => blank) }))
        const { result, rejects } = await loadRows(store, { mode: 'APPEND', schema: schemaOf(texts), rows })
        assert.deepEqual([result.rowsLoaded, rejects], [2, []])
        const table = await store.findTable('layer')
        const isText = table?.schema.attributes.map(({ type }) => type === 'text') ?? []
        assert.deepEqual(
          (await readRows(store)).map(({ values }) => values),
          ['', ' '].map((blank) => isText.map((is) => (is ? blank : null))),
        )
      }),
    )

    it(
      'adds rows behind those that are there, and widens the envelope',
      withStore(make, async ({ store }) => {
        await loadRows(store, { schema: people, rows: [person('a', 1, 1), person('b', 2, 2)] })
        const before = ids(await readRows(store))
        await loadRows(store, { mode: 'APPEND', schema: people, rows: [person('c', 3, 9)] })
        const rows = await readRows(store)
        assert.deepEqual(
          rows.map(({ values }) => values[0]),
          ['a', 'b', 'c'],
        )
        assert.deepEqual(ids(rows).slice(0, 2), before)
        assert.equal(new Set(ids(rows)).size, 3)
        assert.deepEqual((await store.findTable('layer'))?.envelope, { minX: 1, minY: 1, maxX: 9, maxY: 9 })
        const query = { table: 'layer', bboxes: [{ minX: 8, minY: 8, maxX: 10, maxY: 10 }] }
        assert.equal(await store.count(query, never), 1)
      }),
    )

    it(
      'finds many rows appended to few, and few appended to many, by their place',
      withStore(make, async ({ store }) => {
        const grid = (from: number, count: number): Row[] =>
          Array.from({ length: count }, (_, i) => person('g', i, from + i))
        await loadRows(store, { schema: people, rows: grid(0, 3) })
        await loadRows(store, { mode: 'APPEND', schema: people, rows: grid(100, 3000) })
        await loadRows(store, { mode: 'APPEND', schema: people, rows: grid(10_000, 3) })
        for (const [from, to, expected] of [
          [0, 5, 3],
          [100, 199, 100],
          [9999, 10_001, 2],
        ] as const) {
          const bbox = { minX: from, minY: from, maxX: to, maxY: to }
          assert.equal(await store.count({ table: 'layer', bboxes: [bbox] }, never), expected)
        }
      }),
    )

    it(
      'is a conflict when the table is missing',
      withStore(make, async ({ store }) => {
        await assert.rejects(loadRows(store, { mode: 'APPEND', schema: people, rows: [person('a', 1)] }), {
          kind: 'conflict',
          code: 'table-missing',
        })
        assert.deepEqual(await store.listTables(), [])
      }),
    )

    it(
      'converts values to the column of the table and rejects rows where that fails',
      withStore(make, async ({ store }) => {
        const target = schemaOf({ n: 'int16', t: 'text', d: 'date', b: 'boolean', f: 'float64' }, 'Point')
        await loadRows(store, { schema: target })
        const { result, rejects } = await loadRows(store, {
          mode: 'APPEND',
          schema: schemaOf({ n: 'text', t: 'int64', d: 'text', b: 'int32', f: 'decimal' }, 'Point'),
          rows: [
            { values: ['12', 9007199254740993n, '2024-02-29', 1, '0.25'] },
            { values: ['40000', 1n, null, 0, null] },
            { values: ['abc', 1n, null, 0, null] },
            { values: [null, 1n, '2024-02-30', 0, null] },
            { values: ['-7', null, null, null, '-1e3'] },
          ],
        })
        assert.deepEqual([result.rowsLoaded, rejects.length], [2, 3])
        assert.deepEqual(
          rejects.map(({ row, field }) => [row, field]),
          [
            [2, 'n'],
            [3, 'n'],
            [4, 'd'],
          ],
        )
        assert.match(rejects[1]?.reason ?? '', /abc/)
        assert.deepEqual(
          (await readRows(store)).map(({ values }) => values),
          [
            [12, '9007199254740993', 19_782, true, 0.25],
            [-7, null, null, null, -1000],
          ],
        )
      }),
    )

    it(
      'rejects texts that are longer than the column',
      withStore(make, async ({ store }) => {
        await loadRows(store, { schema: schemaOf({ t: { name: 't', type: 'text', maxLength: 3 } }) })
        const { result, rejects } = await loadRows(store, {
          mode: 'APPEND',
          schema: schemaOf({ t: 'text' }),
          rows: [{ values: ['日本国'] }, { values: ['abcd'] }],
        })
        assert.deepEqual([result.rowsLoaded, rejects.length, rejects[0]?.row], [1, 1, 2])
      }),
    )

    it(
      'promotes single parts where the table holds multi parts, and rejects other types',
      withStore(make, async ({ store }) => {
        await loadRows(store, { schema: schemaOf({}, 'MultiPoint') })
        const { result, rejects } = await loadRows(store, {
          mode: 'APPEND',
          schema: schemaOf({}, 'Geometry'),
          rows: [
            { geometry: wkb('Point', [1, 2]), values: [] },
            {
              geometry: wkb('LineString', [
                [1, 2],
                [3, 4],
              ]),
              values: [],
            },
          ],
        })
        assert.deepEqual([result.rowsLoaded, rejects.length], [1, 1])
        assert.deepEqual((await readRows(store))[0]?.geometry, wkb('MultiPoint', [[1, 2]]))
      }),
    )
  })

  it(
    'takes several loads at once, into one table and into others',
    withStore(make, async ({ store, reopen }) => {
      await loadRows(store, { schema: people })
      const others = [reopen(), reopen(), reopen()]
      const rows = (count: number): Row[] => Array.from({ length: count }, (_, i) => person('x', i, i))
      await Promise.all([
        loadRows(others[0] ?? store, { mode: 'APPEND', schema: people, rows: rows(3000) }),
        loadRows(others[1] ?? store, { mode: 'APPEND', schema: people, rows: rows(2000) }),
        loadRows(others[2] ?? store, { table: 'other', schema: people, rows: rows(1000) }),
      ])
      for (const other of others) await other.close()
      const read = await readRows(store)
      assert.equal(new Set(ids(read)).size, 5000)
      assert.equal(await store.count({ table: 'other' }, never), 1000)
    }),
  )
}
