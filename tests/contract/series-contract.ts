import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../bench/random.ts'
import { openSeriesDatabase } from '../../src/monitoring/series/open-series-database.ts'
import type { Resolution } from '../../src/monitoring/series/schema.ts'
import type { Keep, SeriesLimits, SeriesWriter } from '../../src/monitoring/series/series.ts'
import type { SeriesPlace } from '../../src/monitoring/series/series-database.ts'
import { createSeriesWriter } from '../../src/monitoring/series/series-writer.ts'
import type { Day } from '../support/recount-day.ts'
import { makeDay } from '../support/recount-day.ts'
import type { Facts } from '../support/series-rows.ts'
import { countRows, differences, readRows } from '../support/series-rows.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const limits: SeriesLimits = { labels: 6, visitors: 25 }
/** Ten minutes after the midnight at which November begins. */
const start = Date.UTC(2026, 10, 1) - 35 * minute

export const keepAll: Keep = {
  ...{ minuteDays: 0, hourDays: 0, dayDays: 0, requestDays: 0, exceptionDays: 0 },
  maxBytes: 0,
}

export interface SeriesPlaceUnderTest {
  place: SeriesPlace
  remove(): Promise<void>
}

/** What every kind of series database has to do, through the writer. */
export function describeSeriesContract(name: string, makePlace: () => Promise<SeriesPlaceUnderTest>): void {
  describe(`series in ${name}`, () => {
    it('counts each request once, whatever the batches, restarts and late lines', {
      timeout: 60_000,
    }, async () => {
      for (const seed of [1, 2]) {
        await within(makePlace, async (place) => {
          const facts = makeFacts(seed)
          await writeAtRandom(place, facts, seededRandom(seed))
          await assertSame(place, facts, [60, 3600, 86_400])
        })
      }
    })

    it('refuses a batch that somebody else has collected, and writes nothing of it', async () => {
      await within(makePlace, async (place) => {
        const facts = makeFacts(4, 40)
        const writer = await openWriter(place)
        const cursor = { source: 'log:1', from: undefined, to: '40' }
        assert.equal(await writer.cursor('log:1'), undefined)
        assert.equal(await writer.append({ events: facts.requests, cursor }), true)
        assert.equal(await writer.append({ events: facts.requests, samples: facts.samples, cursor }), false)
        assert.equal(await writer.cursor('log:1'), '40')
        await settleAll(writer, start + 3 * day)
        await writer.append({ samples: facts.samples })
        await writer.close()
        await assertSame(place, facts, [60])
      })
    })

    it('computes no period before it has ended', async () => {
      await within(makePlace, async (place) => {
        const facts = makeFacts(5, 60)
        const writer = await openWriter(place)
        await writer.append({ events: facts.requests })
        const now = start + 20 * minute
        await settleAll(writer, now + 59_000)
        await writer.close()
        const closed = facts.requests.filter(({ created }) => created < now)
        await assertSame(place, { requests: closed }, [60])
      })
    })
  })
}

async function within(
  makePlace: () => Promise<SeriesPlaceUnderTest>,
  work: (place: SeriesPlace) => Promise<void>,
): Promise<void> {
  const { place, remove } = await makePlace()
  try {
    await work(place)
  } finally {
    await remove()
  }
}

function makeFacts(seed: number, requests = 250): Day {
  const services = { applications: [1], mapServers: [2], hosts: [3] }
  return makeDay({ seed, requests, from: start, minutes: 75, ...services })
}

/** Appends in batches of any size, partly out of order, with new writers, and settles in between. */
async function writeAtRandom(place: SeriesPlace, facts: Day, draw: () => number): Promise<void> {
  const late = facts.requests.filter(() => draw() < 0.1)
  const isLate = new Set(late)
  const events = [...facts.requests.filter((one) => !isLate.has(one)), ...late]
  let writer = await openWriter(place)
  let [read, sampled] = [0, 0]
  while (read < events.length || sampled < facts.samples.length) {
    const [from, to] = [read, read + Math.floor(draw() * 80)]
    const next = sampled + Math.floor(draw() * 200)
    const batch = { events: events.slice(from, to), samples: facts.samples.slice(sampled, next) }
    const cursor = { source: 'log:1', from: from === 0 ? undefined : `${from}`, to: `${to}` }
    if (to > from) {
      assert.equal(await writer.append({ ...batch, cursor }), true)
      read = to
      sampled = next
    }
    if (draw() < 0.5) await writer.settle(start + 3 * day * draw())
    if (draw() < 0.4) {
      await writer.close()
      writer = await openWriter(place)
    }
  }
  await settleAll(writer, start + 3 * day)
  await writer.close()
}

async function openWriter(place: SeriesPlace): Promise<SeriesWriter> {
  return createSeriesWriter(await openSeriesDatabase(place), limits)
}

export async function settleAll(writer: SeriesWriter, now: number): Promise<void> {
  for (let piece = 0; (await writer.settle(now)).hasMore; piece += 1) assert.ok(piece < 10_000)
}

async function assertSame(
  place: SeriesPlace,
  facts: Facts,
  resolutions: readonly Resolution[],
): Promise<void> {
  const database = await openSeriesDatabase(place)
  try {
    for (const resolution of resolutions) {
      const found = differences(countRows(facts, resolution, limits), await readRows(database, resolution))
      assert.deepEqual(found.slice(0, 5), [], `${found.length} differences in rows of ${resolution} s`)
    }
  } finally {
    await database.close()
  }
}
