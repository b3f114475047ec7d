import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { columnValue } from '../../src/geo/column.ts'
import type { Envelope } from '../../src/geo/envelope.ts'
import type { StoreDescription } from '../../src/stores/description.ts'
import type { FeatureQuery, VectorStore } from '../../src/stores/store.ts'
import type { Row } from '../support/batches.ts'
import { schemaOf, wkb } from '../support/batches.ts'
import type { MakeStore, StoreUnderTest } from './store-session.ts'
import { never, readRows, withStore } from './store-session.ts'

const schema = schemaOf({ n: 'int32', day: 'date', at: 'timestamp' }, 'Point')
const dayMicros = 86_400_000_000n
/** Twenty points on a diagonal, a day apart from 1970-01-01 on, each at noon; the last without anything. */
const rows: Row[] = Array.from({ length: 20 }, (_, i) => ({
  geometry: i === 19 ? null : wkb('Point', [i, i]),
  values: i === 19 ? [i, null, null] : [i, i, BigInt(i) * dayMicros + dayMicros / 2n],
}))

/** The rows as the store can hold them: without attributes of types that it lacks. */
async function fill(under: StoreUnderTest): Promise<void> {
  const held = schema.attributes.map(({ type }) => !under.lacks.includes(type))
  const take = <Item>(items: Item[]): Item[] => items.filter((_, index) => held[index])
  await under.fill(
    { ...schema, attributes: take(schema.attributes) },
    rows.map((row) => ({ ...row, values: take(row.values) })),
  )
}

async function numbers(store: VectorStore, query: Partial<FeatureQuery>): Promise<unknown[]> {
  return (await readRows(store, query)).map(({ values }) => values[0])
}

/** `hasKeys` is false for relations without a key: their ids are numbers that no query finds. */
export function describeReading(make: MakeStore, { can }: StoreDescription, hasKeys = true): void {
  describe('reading', () => {
    it(
      'pages in a stable order',
      withStore(make, async (under) => {
        const { store } = under
        await fill(under)
        const all = await readRows(store)
        assert.deepEqual(
          all.map(({ values }) => values[0]),
          rows.map((_, i) => i),
        )
        const paged = []
        for (let offset = 0; offset < 25; offset += 7)
          paged.push(...(await readRows(store, { offset, limit: 7 })))
        assert.deepEqual(paged, all)
        assert.deepEqual(await readRows(store, { limit: 0 }), [])
      }),
    )

    it(
      'gives of each row what is asked for, whatever chooses the rows',
      withStore(make, async (under) => {
        const { store } = under
        await fill(under)
        const whole = await readRows(store)
        const requested = { table: 'layer', limit: 1e9, offset: 0, attributes: ['n'] }
        const queries: [FeatureQuery, number][] = [
          [requested, whole.length],
          [{ ...requested, bboxes: [{ minX: 3, minY: 3, maxX: 5, maxY: 5 }] }, 4],
        ]
        for (const [query, count] of queries) {
          const found: unknown[] = []
          for await (const { batch } of store.readFeatures(query, never)) {
            const at = batch.schema.attributes.findIndex(({ name }) => name === 'n')
            const column = batch.columns[at]
            for (let row = 0; column !== undefined && row < batch.rowCount; row += 1)
              found.push(columnValue(column, row))
          }
          assert.equal(found.length, count)
          if (count === whole.length)
            assert.deepEqual(
              found,
              whole.map(({ values }) => values[0]),
            )
        }
      }),
    )

    it(
      'finds what a box touches, its edges included, and what has no geometry',
      withStore(make, async (under) => {
        const { store } = under
        await fill(under)
        const bbox = { minX: 3, minY: 3, maxX: 5, maxY: 5 }
        assert.deepEqual(await numbers(store, { bboxes: [bbox] }), [3, 4, 5, 19])
        assert.equal(await store.count({ table: 'layer', bboxes: [bbox] }, never), 4)
        assert.deepEqual(await numbers(store, { bboxes: [{ minX: 3, minY: 7, maxX: 5, maxY: 9 }] }), [19])
        assert.deepEqual(await numbers(store, { bboxes: [bbox], offset: 1, limit: 1 }), [4])
        const overlapping = { minX: 5, minY: 4, maxX: 8, maxY: 7 }
        assert.deepEqual(await numbers(store, { bboxes: [bbox, overlapping] }), [3, 4, 5, 6, 7, 19])
        assert.equal(await store.count({ table: 'layer', bboxes: [bbox, overlapping] }, never), 6)
        assert.deepEqual(await numbers(store, { bboxes: [] }), [19])
        const everything = { minX: -1, minY: -1, maxX: 50, maxY: 50 }
        assert.equal(await store.count({ table: 'layer', bboxes: [everything] }, never), 20)
      }),
    )

    it(
      'finds what an outline in a box touches, and not what lies beside it',
      withStore(make, async (under) => {
        const { store } = under
        await fill(under)
        // Points lie at (n, n): below this line none does but those that it ends at.
        const beside = { minX: 3, minY: 3, maxX: 9, maxY: 9, outline: [3, 3, 9, 3, 9, 9, 6, 5, 3, 3] }
        const within = { minX: 3, minY: 2, maxX: 6.5, maxY: 7, outline: [3, 2, 6.5, 6, 4, 7, 3, 2] }
        assert.deepEqual(await numbers(store, { bboxes: [beside] }), [3, 9, 19])
        assert.deepEqual(await numbers(store, { bboxes: [within] }), [4, 5, 6, 19])
        assert.equal(await store.count({ table: 'layer', bboxes: [beside, within] }, never), 6)
        const all = {
          minX: -9,
          minY: -9,
          maxX: 99,
          maxY: 99,
          outline: [-9, -9, 99, -9, 99, 99, -9, 99, -9, -9],
        }
        assert.equal(await store.count({ table: 'layer', bboxes: [all] }, never), 20)
      }),
    )

    it(
      'tests boxes at full precision',
      withStore(make, async ({ store, fill }) => {
        const near = 500_000.01
        await fill(schemaOf({}, 'Point'), [{ geometry: wkb('Point', [near, 0]), values: [] }])
        const box = (minX: number): Envelope => ({ minX, minY: -1, maxX: near + 1, maxY: 1 })
        assert.equal((await readRows(store, { bboxes: [box(near)] })).length, 1)
        assert.equal((await readRows(store, { bboxes: [box(near + 1e-6)] })).length, 0)
        assert.equal(await store.count({ table: 'layer', bboxes: [box(near + 1e-6)] }, never), 0)
      }),
    )

    it(
      'filters by time, ends included and open',
      withStore(make, async (under) => {
        const { store } = under
        await fill(under)
        const read = (time: FeatureQuery['time']): Promise<unknown[]> =>
          numbers(store, time === undefined ? {} : { time })
        if (!under.lacks.includes('timestamp')) {
          assert.deepEqual(
            await read({ attribute: 'at', from: '1970-01-03T12:00:00Z', to: '1970-01-04T14:00:00+02:00' }),
            [2, 3],
          )
          assert.deepEqual(await read({ attribute: 'at', from: '1970-01-18T12:00:00.001Z' }), [18])
        }
        if (under.lacks.includes('date')) return
        assert.deepEqual(await read({ attribute: 'day', from: '1970-01-03', to: '1970-01-05' }), [2, 3, 4])
        assert.deepEqual(await read({ attribute: 'day', to: '1970-01-02' }), [0, 1])
        const time = { attribute: 'day', from: '1970-01-15' }
        assert.equal(await store.count({ table: 'layer', time }, never), 5)
        const bbox = { minX: 15, minY: 15, maxX: 16, maxY: 16 }
        assert.deepEqual(await numbers(store, { time, bboxes: [bbox] }), [15, 16])
      }),
    )

    it(
      'finds one feature by its id, and none by one that is not an id',
      withStore(make, async (under) => {
        const { store } = under
        await fill(under)
        const all = await readRows(store)
        const expected = all[4]
        const found = (...list: typeof all): typeof all => (hasKeys ? list : [])
        assert.deepEqual(await readRows(store, { featureId: expected?.id ?? '' }), found(...all.slice(4, 5)))
        const some = [all[7]?.id ?? '', '0x5', '99999', all[2]?.id ?? '', all[2]?.id ?? '']
        assert.deepEqual(
          await readRows(store, { featureIds: some }),
          found(...all.slice(2, 3), ...all.slice(7, 8)),
        )
        assert.deepEqual(await readRows(store, { featureIds: [] }), [])
        for (const featureId of ['0x5', '', 'abc', '99999', "1' or '1'='1", '1e0', '99999999999999999999'])
          assert.deepEqual(await readRows(store, { featureId }), [], featureId)
      }),
    )

    it(
      'can be left before its end, and stops when it is aborted',
      withStore(make, async ({ store, fill }) => {
        const many = Array.from({ length: 10_000 }, (_, i) => ({ geometry: null, values: [i] }))
        await fill(schemaOf({ n: 'int32' }, 'Point'), many)
        const query = { table: 'layer', limit: 1e9, offset: 0 }
        for await (const page of store.readFeatures(query, never)) {
          assert.ok(page.batch.rowCount < 10_000)
          break
        }
        const controller = new AbortController()
        await assert.rejects(async () => {
          for await (const _page of store.readFeatures(query, controller.signal))
            controller.abort(new Error('enough'))
        }, /enough/)
        if (can.takesLoads) await store.dropTable('layer')
      }),
    )

    it(
      'reports a table that is not there',
      withStore(make, async ({ store, fill }) => {
        if (!can.takesLoads) await fill(schemaOf({}, 'Point'), [])
        assert.equal(await store.findTable('nowhere'), undefined)
        await assert.rejects(store.count({ table: 'nowhere' }, never), { kind: 'notFound' })
        await assert.rejects(readRows(store, { table: 'nowhere' }), { kind: 'notFound' })
      }),
    )

    it(
      'passes its own check',
      withStore(make, async ({ store, fill }) => {
        if (!can.takesLoads) await fill(schemaOf({}, 'Point'), [])
        await store.check(never)
      }),
    )
  })
}
