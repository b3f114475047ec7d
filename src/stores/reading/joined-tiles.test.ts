import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { noTileCounts } from '../../tiles/encode-tile.ts'
import type { MakeTiles } from './joined-tiles.ts'
import { JoinedTiles } from './joined-tiles.ts'
import type { EncodedTile, TableTileRequest, TableTilesRequest } from './table-tile-request.ts'
import { TileLane } from './tile-lane.ts'

const never = new AbortController().signal
const wish = { table: 't', crs: 'EPSG:4326', set: 'WebMercatorQuad', name: 'l' } as const

interface Call {
  xs: number[]
  signal: AbortSignal
  end(read?: number): void
  fail(error: Error): void
}

function begin(
  workers = 2,
  limits = { most: 8, ofStore: 4 },
): {
  calls: Call[]
  ask(
    x: number,
    options?: Partial<TableTileRequest> & { signal?: AbortSignal; owner?: string },
  ): Promise<EncodedTile>
} {
  const lane = new TileLane({ ...limits, maxWaiting: { count: 100, refuse: () => new Error('too busy') } })
  const joined = new JoinedTiles(lane, { workers, most: 8 })
  const calls: Call[] = []
  const make: MakeTiles = ({ tiles }: TableTilesRequest, signal) => {
    const result = Promise.withResolvers<EncodedTile[]>()
    const xs = tiles.map(({ x }) => x)
    const end = (read = 10): void =>
      result.resolve(xs.map((x) => ({ bytes: Uint8Array.of(x), counts: { ...noTileCounts(), read } })))
    calls.push({ xs, signal, end, fail: result.reject })
    return result.promise
  }
  return {
    calls,
    ask: (x, { signal = never, owner, ...other } = {}) =>
      joined.run('store', { ...wish, ...other, tile: { z: 14, x, y: 0 } }, make, { signal, owner }),
  }
}

async function some(rounds = 6): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await nextRound()
}

/** Makes the class assume that such tiles are small. */
async function teach({ calls, ask }: ReturnType<typeof begin>): Promise<void> {
  const first = ask(0)
  await some()
  calls.splice(0)[0]?.end()
  await first
}

const numbersOf = async (tiles: Promise<EncodedTile>[]): Promise<(number | undefined)[]> =>
  (await Promise.all(tiles)).map(({ bytes }) => bytes[0])

describe('tiles that wait together', () => {
  it('are divided among the readers that are free, and each gets its own', async () => {
    const made = begin()
    await teach(made)
    const tiles = [1, 2, 3, 4, 5].map((x) => made.ask(x))
    await some()
    assert.deepEqual(
      made.calls.map(({ xs }) => xs),
      [
        [1, 2, 3],
        [4, 5],
      ],
    )
    for (const { end } of made.calls) end()
    assert.deepEqual(await numbersOf(tiles), [1, 2, 3, 4, 5])
  })

  it('do not delay the tile of another owner, although all are of one table', async () => {
    const made = begin(1, { most: 1, ofStore: 1 })
    const many = Array.from({ length: 20 }, (_, x) => made.ask(x, { owner: 'many' }))
    await some()
    const other = made.ask(99, { owner: 'other' })
    await some()
    made.calls[0]?.end(5000)
    await some()
    assert.equal(made.calls[1]?.xs[0], 99)
    for (let at = 1; at <= 20; at += 1) {
      made.calls[at]?.end(5000)
      await some()
    }
    assert.deepEqual(await numbersOf([...many, other]), [...many.keys(), 99])
  })

  it('are of one table, zoom and wish', async () => {
    const made = begin(1)
    await teach(made)
    const tiles = [made.ask(1), made.ask(2, { table: 'u' }), made.ask(3), made.ask(4, { attributes: ['a'] })]
    await some()
    assert.deepEqual(
      made.calls.map(({ xs }) => xs),
      [[1, 3], [2], [4]],
    )
    for (const { end } of made.calls) end()
    assert.deepEqual(await numbersOf(tiles), [1, 2, 3, 4])
  })

  it('come one by one where each takes long', async () => {
    const made = begin(1)
    await teach(made)
    for (let round = 0; round < 20; round += 1) {
      const large = made.ask(0)
      await some()
      made.calls.splice(0)[0]?.end(5000)
      await large
    }
    const tiles = [made.ask(1), made.ask(2)]
    await some()
    assert.deepEqual(
      made.calls.map(({ xs }) => xs),
      [[1], [2]],
    )
    for (const { end } of made.calls) end()
    assert.deepEqual(await numbersOf(tiles), [1, 2])
  })

  it('are nothing to who leaves, and end when all have left', async () => {
    const made = begin(1)
    await teach(made)
    const leavers = [new AbortController(), new AbortController()]
    const tiles = leavers.map(({ signal }, x) => made.ask(x, { signal }))
    const staying = made.ask(7)
    await some()
    leavers[0]?.abort(new Error('left'))
    await assert.rejects(tiles[0] ?? staying, /left/)
    assert.equal(made.calls[0]?.signal.aborted, false)
    made.calls[0]?.end()
    assert.deepEqual(await numbersOf([tiles[1] ?? staying, staying]), [1, 7])

    made.calls.splice(0)
    const both = [new AbortController(), new AbortController()]
    const left = both.map(({ signal }, x) => made.ask(x, { signal }))
    await some()
    for (const one of both) one.abort(new Error('left'))
    for (const one of left) await assert.rejects(one, /left/)
    assert.equal(made.calls[0]?.signal.aborted, true)
  })

  it('fail one by one: what cannot be made harms no other', async () => {
    const made = begin(1)
    await teach(made)
    const tiles = [made.ask(1), made.ask(2)]
    const bad = assert.rejects(tiles[0] as Promise<EncodedTile>, /of 1/)
    await some()
    made.calls[0]?.fail(new Error('of both'))
    await some()
    made.calls[1]?.fail(new Error('of 1'))
    await some()
    made.calls[2]?.end()
    await bad
    assert.deepEqual(
      made.calls.map(({ xs }) => xs),
      [[1, 2], [1], [2]],
    )
    assert.equal((await tiles[1])?.bytes[0], 2)
  })
})
