import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Envelope } from '../../src/geo/envelope.ts'
import type { Schema } from '../../src/geo/schema.ts'
import type { StoreDescription } from '../../src/stores/description.ts'
import type { TileQuery, TileReads, VectorStore } from '../../src/stores/store.ts'
import { tileReadingByFeatures, tileReadingOf } from '../../src/stores/tile-reading.ts'
import type { Row } from '../support/batches.ts'
import { rowsOf, schemaOf, wkb } from '../support/batches.ts'
import type { MakeStore, ReadRow, StoreUnderTest } from './store-session.ts'
import { loadRows, never, readRows, withStore } from './store-session.ts'

const count = 1500

interface Sample {
  schema: Schema
  rows: Row[]
  /** The envelope of the row with this number. */
  sidesOf(row: number): Envelope
}

/** Rectangles of many sizes on a grid with gaps, or points where files are written for the test; some rows without. */
function sampleFor({ can }: StoreDescription): Sample {
  const sidesOf = (i: number): Envelope => {
    const [minX, minY, size] = [
      (i * 37) % 200,
      (i * 61) % 100,
      can.takesLoads ? ((i * 13) % 40) / 10 + 0.1 : 0,
    ]
    return { minX, minY, maxX: minX + size, maxY: minY + size }
  }
  const geometryOf = (i: number): Uint8Array => {
    const { minX, minY, maxX, maxY } = sidesOf(i)
    if (!can.takesLoads) return wkb('Point', [minX, minY])
    const ring = [
      [minX, minY],
      [maxX, minY],
      [maxX, maxY],
      [minX, maxY],
      [minX, minY],
    ]
    return wkb('Polygon', [ring])
  }
  const rows = Array.from({ length: count }, (_, i) => ({
    geometry: i % 50 === 49 ? null : geometryOf(i),
    values: [i, i % 7, i * 3],
  }))
  const columns = { n: 'int32', class: 'int32', other: 'int32' } as const
  return { schema: schemaOf(columns, can.takesLoads ? 'Polygon' : 'Point'), rows, sidesOf }
}
const isIn = (box: Envelope, other: Envelope): boolean =>
  box.minX <= other.maxX && box.maxX >= other.minX && box.minY <= other.maxY && box.maxY >= other.minY

async function readTile(reads: TileReads, query: Partial<TileQuery>): Promise<ReadRow[]> {
  const found: ReadRow[] = []
  for await (const { batch, ids } of reads.readTile({ table: 'layer', ...query }, never)) {
    assert.equal(ids.length, batch.rowCount)
    for (const [index, row] of rowsOf(batch).entries()) found.push({ ...row, id: ids[index] ?? '' })
  }
  return found
}

async function readEnvelopes(
  reads: TileReads,
  boxes?: Envelope[],
): Promise<{ id: string; sides: number[] }[]> {
  const found: { id: string; sides: number[] }[] = []
  for await (const { ids, envelopes } of reads.readEnvelopes(
    { table: 'layer', ...(boxes && { boxes }) },
    never,
  )) {
    assert.equal(envelopes.length, ids.length * 4)
    for (const [index, id] of ids.entries())
      found.push({ id, sides: [...envelopes.subarray(index * 4, index * 4 + 4)] })
  }
  return found
}

const boxes: Envelope[][] = [
  [{ minX: 10, minY: 10, maxX: 60, maxY: 40 }],
  [{ minX: 10, minY: 10, maxX: 12, maxY: 12 }],
  [
    { minX: -10, minY: 0, maxX: 50, maxY: 50 },
    { minX: 30, minY: 20, maxX: 300, maxY: 60 },
  ],
  [{ minX: -10, minY: -10, maxX: 1000, maxY: 1000 }],
  [{ minX: 500, minY: 500, maxX: 600, maxY: 600 }],
  [],
]

/** Returns the store's own tile reads and the default ones for stores without them. */
function ways(store: VectorStore): TileReads[] {
  return [tileReadingOf(store), tileReadingByFeatures(store)]
}

export function describeTiles(make: MakeStore, description: StoreDescription): void {
  const { can } = description
  const { schema, rows, sidesOf } = sampleFor(description)
  const filled = (test: (under: StoreUnderTest) => Promise<void>): (() => Promise<void>) =>
    withStore(make, async (under) => {
      await under.fill(schema, rows)
      await test(under)
    })

  describe('rows for tiles', () => {
    it(
      'are those within the boxes, once each, in the order of keys, as features have them',
      filled(async ({ store }) => {
        assert.equal(store.tiles !== undefined, can.findsTileRows)
        const all = (await readRows(store)).filter(({ geometry }) => geometry !== null)
        for (const reads of ways(store)) {
          assert.deepEqual(await readTile(reads, {}), all)
          for (const some of boxes) {
            const expected = all.filter(({ values }) =>
              some.some((box) => isIn(box, sidesOf(Number(values[0])))),
            )
            assert.deepEqual(await readTile(reads, { boxes: some }), expected, JSON.stringify(some))
          }
        }
      }),
    )

    it(
      'are read once for several tiles, of which each has those that it has by itself',
      filled(async ({ store }) => {
        const reads = tileReadingOf(store)
        assert.equal(reads.readTiles !== undefined, can.readsTilesTogether)
        if (reads.readTiles === undefined) return
        for (const attributes of [undefined, ['other']]) {
          const query = { table: 'layer', boxesOf: boxes, ...(attributes && { attributes }) }
          const found: ReadRow[][] = boxes.map(() => [])
          const met = new Set<string>()
          for await (const { batch, ids, rowsOf: of } of reads.readTiles(query, never)) {
            const rowsHere = rowsOf(batch)
            for (const id of ids) {
              assert.equal(met.has(id), false, id)
              met.add(id)
            }
            for (const [tile, places] of of.entries())
              for (const row of places)
                found[tile]?.push({ ...(rowsHere[row] as Required<Row>), id: ids[row] ?? '' })
          }
          for (const [tile, some] of boxes.entries()) {
            const alone = await readTile(reads, { boxes: some, ...(attributes && { attributes }) })
            assert.deepEqual(found[tile], alone, JSON.stringify(some))
          }
        }
      }),
    )

    it(
      'have the wanted attributes alone, in the order of the table',
      filled(async ({ store }) => {
        const all = (await readRows(store)).filter(({ geometry }) => geometry !== null)
        for (const reads of ways(store)) {
          const found = await readTile(reads, { attributes: ['other', 'n', 'nowhere'] })
          assert.deepEqual(
            found.map(({ values }) => values),
            all.map(({ values }) => [values[0], values[2]]),
          )
          assert.deepEqual((await readTile(reads, { attributes: [] }))[0]?.values, [])
        }
      }),
    )

    it(
      'are found by their ids, and have envelopes that are rounded outwards at most',
      filled(async ({ store }) => {
        for (const reads of ways(store)) {
          for (const some of boxes) {
            const expected = await readTile(reads, { boxes: some })
            const envelopes = await readEnvelopes(reads, some)
            assert.deepEqual(
              envelopes.map(({ id }) => id),
              expected.map(({ id }) => id),
            )
            envelopes.forEach(({ sides }, index) => {
              const exact = sidesOf(Number(expected[index]?.values[0]))
              const selected = [exact.minX, exact.minY, exact.maxX, exact.maxY]
              sides.forEach((side, at) => {
                const outwards = (side - (selected[at] as number)) * (at < 2 ? -1 : 1)
                assert.ok(outwards > -1e-9 && outwards < 1e-4, `${side} for ${selected[at]}`)
              })
            })
            const ids = envelopes.map(({ id }) => id).filter((_, index) => index % 3 === 0)
            assert.deepEqual(
              await readTile(reads, { boxes: some, ids }),
              expected.filter((_, index) => index % 3 === 0),
            )
          }
          assert.deepEqual(await readTile(reads, { ids: [] }), [])
          assert.equal(
            (await readEnvelopes(reads)).length,
            rows.filter(({ geometry }) => geometry !== null).length,
          )
        }
      }),
    )

    it(
      'stop when they are given up, and fail for a table that is not there',
      filled(async ({ store }) => {
        for (const reads of ways(store)) {
          const controller = new AbortController()
          await assert.rejects(async () => {
            for await (const _page of reads.readTile({ table: 'layer' }, controller.signal))
              controller.abort(new Error('enough'))
          }, /enough/)
          await assert.rejects(async () => {
            for await (const _page of reads.readTile(
              { table: 'layer' },
              AbortSignal.abort(new Error('before')),
            ))
              break
          }, /before/)
          for await (const _page of reads.readTile({ table: 'layer' }, never)) break
          await assert.rejects(readTile(reads, { table: 'nowhere' }), { kind: 'notFound' })
          assert.equal((await readTile(reads, {})).length, 1470)
        }
      }),
    )

    it(
      'are of one state while others write',
      filled(async ({ store, reopen }) => {
        if (!can.takesLoads) return
        const writer = reopen()
        let attempts = 0
        try {
          const found = await tileReadingOf(store).atOneState(
            'layer',
            async (reads) => {
              const before = await readEnvelopes(reads)
              attempts += 1
              if (attempts === 1) await loadRows(writer, { schema, rows: rows.slice(0, 10), mode: 'APPEND' })
              return [before.length, (await readTile(reads, {})).length]
            },
            never,
          )
          const state = can.findsTileRows ? 1470 : 1480
          assert.deepEqual(found, [state, state])
          assert.equal((await readTile(tileReadingOf(store), {})).length, 1480)
        } finally {
          await writer.close()
        }
      }),
    )
  })
}
