import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { WorkQueue } from '../../core/workers/work-queue.ts'
import { noTileCounts } from '../../tiles/encode-tile.ts'
import type { TileWorkers } from './tile-batches.ts'
import { TileBatches } from './tile-batches.ts'
import type { Tile, TileRequest } from './tile-request.ts'

const never = new AbortController().signal
interface Call {
  xs: number[]
  signal: AbortSignal
  end(read?: number): void
  fail(error: Error): void
}

interface Requested {
  signal?: AbortSignal
  owner?: string
  store?: string
  table?: string
  attributes?: string[]
}

function begin(
  workers = 2,
  limits = { atATime: 8, atATimeOfStore: 4 },
  count = 100,
): { calls: Call[]; queue: WorkQueue; ask(x: number, options?: Requested): Promise<Tile> } {
  const queue = new WorkQueue({ limit: 16 })
  const calls: Call[] = []
  const make: TileWorkers['make'] = ({ requests }, { signal }) => {
    const result = Promise.withResolvers<Tile[]>()
    const xs = requests.map(({ tile }) => tile.x)
    const end = (read = 10): void =>
      result.resolve(xs.map((x) => ({ bytes: Uint8Array.of(x), counts: { ...noTileCounts(), read } })))
    calls.push({ xs, signal, end, fail: result.reject })
    return result.promise
  }
  const batches = new TileBatches(
    { enter: ({ owner, groups, signal }) => queue.enter({ owner, groups, signal }), make },
    {
      name: 'tiles',
      workers,
      most: 8,
      ...limits,
      maxWaiting: { count, refuse: () => new Error('too busy') },
    },
  )
  const connection = { type: 'GeoPackage', parameters: {} } as const
  return {
    calls,
    queue,
    ask: async (x, { signal = never, owner, store = 'store', table = 't', attributes } = {}) => {
      const source = { table, crs: 'EPSG:4326', name: 'l' }
      const request: TileRequest = { set: 'WebMercatorQuad', tile: { z: 14, x, y: 0 }, attributes }
      return batches.make({ connection, source, request }, { key: store, owner }, signal)
    },
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

const numbersOf = async (tiles: Promise<Tile>[]): Promise<(number | undefined)[]> =>
  (await Promise.all(tiles)).map(({ bytes }) => bytes[0])

describe('TileBatches', () => {
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
    const made = begin(1, { atATime: 1, atATimeOfStore: 1 })
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
    const bad = assert.rejects(tiles[0] as Promise<Tile>, /of 1/)
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

  it('leave capacity for the tiles of other stores, and for other reads', async () => {
    const { calls, queue, ask } = begin(1, { atATime: 3, atATimeOfStore: 2 })
    const slow = [1, 2, 3, 4].map((x) => ask(x, { store: 'slow', table: String(x) }))
    const quick = [5, 6].map((x) => ask(x, { store: 'quick', table: String(x) }))
    await some()
    assert.deepEqual(
      calls.map(({ xs }) => xs),
      [[1], [2], [5]],
    )
    assert.equal(await queue.run(() => 'read'), 'read')
    calls[2]?.end()
    await some()
    assert.deepEqual(calls[3]?.xs, [6])
    for (let at = 0; at < 6; at += 1) {
      calls[at]?.end()
      await some()
    }
    assert.deepEqual(await numbersOf([...slow, ...quick]), [1, 2, 3, 4, 5, 6])
  })

  it('are refused when too many wait, and leave the queue when their client leaves', async () => {
    const { calls, queue, ask } = begin(1, { atATime: 1, atATimeOfStore: 1 }, 2)
    const running = ask(1, { table: '1' })
    await some()
    const leaver = new AbortController()
    const left = ask(2, { table: '2', signal: leaver.signal })
    const staying = ask(3, { table: '3' })
    await assert.rejects(ask(4, { table: '4' }), /too busy/)
    leaver.abort(new Error('left'))
    await assert.rejects(left, /left/)
    assert.equal(queue.waiting, 1)
    for (let at = 0; at < 2; at += 1) {
      calls[at]?.end()
      await some()
    }
    assert.deepEqual(await numbersOf([running, staying]), [1, 3])
  })
})
