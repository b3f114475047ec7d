import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Retention } from '../../../src/core/config/monitoring-settings.ts'
import { openSeriesDatabase } from '../../../src/monitoring/series/open-series-database.ts'
import type { RequestEvent } from '../../../src/monitoring/series/request-event.ts'
import type { SeriesWriter } from '../../../src/monitoring/series/series.ts'
import type { SeriesLocation } from '../../../src/monitoring/series/series-database.ts'
import { createSeriesWriter } from '../../../src/monitoring/series/series-writer.ts'
import { fedLimits, requestAt } from '../../support/fed-monitoring.ts'
import { fillDisk } from '../../support/fill-disk.ts'
import { seriesPlace } from '../../support/host-series.ts'
import { smallDisk } from '../../support/hostile.ts'

const start = Date.parse('2026-11-20T22:00:00Z')
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const keep: Retention = {
  minuteDays: 7,
  hourDays: 90,
  dayDays: 1095,
  requestDays: 14,
  exceptionDays: 90,
  maxBytes: 0,
}

async function openWriter(place: SeriesLocation): Promise<SeriesWriter> {
  return createSeriesWriter(await openSeriesDatabase(place), fedLimits)
}

function requestsAt(created: number, count: number): RequestEvent[] {
  const time = new Date(created).toISOString()
  return Array.from({ length: count }, (_, at) =>
    requestAt(time, { serviceId: 7, eventType: 'OWS:WMS', path: `/${at}`, userAgent: 'x'.repeat(200) }),
  )
}

async function settleAll(writer: SeriesWriter, now: number): Promise<void> {
  while ((await writer.settle(now)).hasMore);
}

async function retainAll(writer: SeriesWriter, now: number): Promise<void> {
  while (await writer.retain(now, keep));
}

/** Returns the number of requests in the tables of minutes, hours and days. */
async function countsOf(place: SeriesLocation): Promise<number[]> {
  const database = await openSeriesDatabase(place)
  try {
    const counts: number[] = []
    for (const table of ['minutes', 'hours', 'days']) {
      const [found] = await database.arrays(
        `select sum(sum) from monitoring_${table} join monitoring_series s on s.id = series_id
         join monitoring_labels l on l.id = label_id
         where resource_id = 0 and is_total = 0 and event_type = (select event_type from monitoring_series
           where resource_id = 0 order by id limit 1) and l.name = 'GET'`,
      )
      counts.push(Number(found?.[0]))
    }
    return counts
  } finally {
    await database.close()
  }
}

describe('series on a disk that is full', () => {
  it('are computed, rolled up and cleaned once there is room, with nothing lost or doubled', async (test) => {
    const disk = await smallDisk(test, 24)
    if (disk === undefined) return
    const place = { path: join(disk, 'monitoring.sqlite') }
    const writer = await openWriter(place)
    test.after(() => writer.close())
    for (let at = 0; at < 20; at += 1)
      await writer.append({ events: requestsAt(start + at * 10 * minute, 100) })
    const now = start + 2 * day
    const failures: string[] = []
    const attempt = async (work: () => Promise<unknown>): Promise<void> => {
      const makeRoom = fillDisk(disk)
      await work().catch((error: Error) => failures.push(error.message))
      makeRoom()
    }
    await attempt(() => writer.append({ events: requestsAt(start, 1000) }))
    await attempt(() => settleAll(writer, start + hour))
    for (let piece = 0; piece < 10; piece += 1) {
      await attempt(() => settleAll(writer, now))
      await writer.settle(now)
    }
    await settleAll(writer, now)
    await attempt(() => retainAll(writer, start + 20 * day))
    assert.ok(failures.length >= 2, failures.join())
    for (const failure of failures) assert.match(failure, /disk is full|disk I\/O error/)
    assert.deepEqual(await countsOf(place), [2000, 2000, 2000])
  })
})

describe('series under clocks that are wrong', () => {
  it('lose and double nothing when the clock jumps back an hour, on a day, a year, and back again', async (test) => {
    const place = await seriesPlace(test, 'sqlite')
    const writer = await openWriter(place)
    test.after(() => writer.close())
    const jumps = [
      0,
      minute,
      -hour,
      -hour + minute,
      day,
      0,
      366 * day,
      366 * day + hour,
      2 * minute,
      3 * minute,
    ]
    for (const jump of jumps) {
      await writer.append({ events: requestsAt(start + jump, 10) })
      await settleAll(writer, start + jump + minute)
      await retainAll(writer, start + jump + minute)
    }
    await settleAll(writer, start + 400 * day)
    assert.deepEqual(await countsOf(place), Array(3).fill(10 * jumps.length))
  })

  it('of two servers, one an hour behind the other, hold what each has recorded', async (test) => {
    const place = await seriesPlace(test, 'postgres')
    const [behind, ahead] = [await openWriter(place), await openWriter(place)]
    test.after(() => Promise.all([behind.close(), ahead.close()]))
    const work = async (writer: SeriesWriter, skew: number): Promise<void> => {
      for (let at = 0; at < 30; at += 1) {
        const now = start + skew + at * 4 * minute
        await writer.append({ events: requestsAt(now, 3) })
        await settleAll(writer, now)
        await writer.retain(now, keep)
      }
    }
    await Promise.all([work(behind, 0), work(ahead, hour)])
    await settleAll(behind, start + 2 * day)
    assert.deepEqual(await countsOf(place), [180, 180, 180])
  })
})
