import assert from 'node:assert/strict'
import type { Retention } from '../../../src/core/config/monitoring-settings.ts'
import type { RequestEvent } from '../../../src/monitoring/series/request-event.ts'
import type { Resolution } from '../../../src/monitoring/series/schema.ts'
import type { SeriesLocation } from '../../../src/monitoring/series/series-database.ts'
import { usedBytes } from '../../../src/monitoring/series/series-size.ts'
import {
  assertSame,
  day,
  describeSeries,
  hour,
  makeFacts,
  minute,
  queryNumber,
  retainAll,
  settleAll,
  start,
  withDatabase,
  withWriter,
} from '../../support/series-writing.ts'

const keep: Partial<Retention> = {
  minuteDays: 7,
  hourDays: 90,
  dayDays: 1000,
  requestDays: 14,
  exceptionDays: 30,
}

describeSeries('keeping series', (test) => {
  test('takes late requests into the finest table that still has their day', async (place) => {
    const { requests } = makeFacts(1, 400)
    /** Whole minutes apart, so that each comes all at once. */
    const part = (number: number): RequestEvent[] =>
      requests.filter(({ created }) => Math.floor(created / minute) % 5 === number)
    const upTo = (number: number): RequestEvent[] =>
      requests.filter(({ created }) => Math.floor(created / minute) % 5 <= number)

    await late(place, part(0), start + 3 * day)
    await assertSame(place, { requests: upTo(0) })

    await retain(place, start + 10 * day)
    assert.equal(await countRows(place, 60), 0)
    await late(place, part(1), start + 10 * day)
    await assertSame(place, { requests: upTo(1) }, [3600, 86_400])
    assert.equal(await countRows(place, 60), 0)

    await retain(place, start + 20 * day)
    assert.equal(await queryNumber(place, 'select count(*) from monitoring_requests'), 0)
    await late(place, part(2), start + 20 * day)
    await assertSame(place, { requests: upTo(2) }, [3600, 86_400])
    assert.equal(await queryNumber(place, 'select count(*) from monitoring_requests'), 0)

    await retain(place, start + 100 * day)
    assert.equal(await countRows(place, 3600), 0)
    await late(place, part(3), start + 100 * day)
    await assertSame(place, { requests: upTo(3) }, [86_400])

    await retain(place, start + 1010 * day)
    assert.equal(await countRows(place, 86_400), 0)
    assert.equal(await late(place, part(4), start + 1010 * day), part(4).length)
    for (const table of ['requests', 'dirty', 'labels', 'series', 'resources'])
      assert.equal(await queryNumber(place, `select count(*) from monitoring_${table}`), 0, table)
  })

  test('computes an old hour from all its requests, however they come', async (place) => {
    const { requests } = makeFacts(2)
    await retain(place, start + 10 * day)
    for (let from = 0; from < requests.length; from += 60)
      await late(place, requests.slice(from, from + 60), start + 10 * day)
    await retain(place, start + 10 * day)
    await late(place, [], start + 10 * day)
    await assertSame(place, { requests }, [3600, 86_400])
  })

  test('adds to minutes whose requests are gone', async (place) => {
    const { requests } = makeFacts(3)
    const wide = { labels: 1000, visitors: 1000, resources: 1000 }
    for (const remainder of [0, 1]) {
      await withWriter(
        place,
        async (writer) => {
          await writer.append({ events: requests.filter((_, index) => index % 2 === remainder) })
          await settleAll(writer, start + 3 * day)
          await retainAll(writer, start + 3 * day, { requestDays: 1 })
        },
        wide,
      )
    }
    await assertSame(place, { requests }, [60, 3600, 86_400], wide)
  })

  test('samples of a day whose minutes are gone go into hours, then into days', async (place) => {
    const { samples } = makeFacts(4)
    const [first, second] = [samples.slice(0, 300), samples.slice(300)]
    await withWriter(place, async (writer) => {
      await writer.append({ samples: first })
      await settleAll(writer, start + 10 * day)
      await retainAll(writer, start + 10 * day, keep)
      for (const minutes of Map.groupBy(second, ({ created }) => Math.floor(created / minute)).values())
        await writer.append({ samples: minutes })
      await settleAll(writer, start + 10 * day)
      await retainAll(writer, start + 10 * day, keep)
    })
    const sums = (table: string): Promise<number> =>
      queryNumber(
        place,
        `select sum(samples) from ${table} r join monitoring_series s on s.id = r.series_id where is_total = 0`,
      )
    assert.equal(await sums('monitoring_hours'), samples.length)
    assert.equal(await sums('monitoring_days'), samples.length)
    assert.equal(await countRows(place, 60), 0)
  })

  test('removes nothing for a day after the clock has leapt ahead', async (place) => {
    const { requests } = makeFacts(5, 60)
    await late(place, requests, start + 3 * day)
    await withWriter(place, async (writer) => {
      await retainAll(writer, start + 3 * day, keep)
      await retainAll(writer, start + 400 * day, keep)
      await retainAll(writer, start + 400 * day + 23 * hour, keep)
      await retainAll(writer, start + 3 * day, keep)
    })
    await assertSame(place, { requests })
    assert.ok((await queryNumber(place, 'select count(*) from monitoring_requests')) > 0)
  })

  test('keeps to the size limit: the oldest requests go first, and sums stay', async (place) => {
    const days = [0, 1, 2, 3].map((number) => makeFacts(number + 6, 200).requests.map(laterBy(number * day)))
    await withWriter(place, async (writer) => {
      await writer.append({ events: days.flat() })
      await settleAll(writer, start + 6 * day)
      // Closing days makes their usage smaller.
      await retainAll(writer, start + 6 * day, { maxBytes: 1e12 })
    })
    const used = await withDatabase(place, async (database) => {
      await database.run(database.kind === 'postgres' ? 'analyze' : 'pragma optimize')
      return usedBytes(database)
    })
    const oldest = 'select min(minute) from monitoring_requests'
    const before = await queryNumber(place, oldest)
    await withWriter(place, (writer) => retainAll(writer, start + 6 * day, { maxBytes: used - 1000 }))
    assert.ok((await queryNumber(place, oldest)) > before)
    await assertSame(place, { requests: days.flat() }, [3600, 86_400])
  })

  test('removes exceptions by age', async (place) => {
    await withWriter(place, async (writer) => {
      const exceptions = [0, 10, 20].map((number) => ({
        serviceId: 1,
        created: start + number * day,
        errorType: 'E',
        message: 'm',
        stack: 's',
      }))
      await writer.append({ exceptions })
      await retainAll(writer, start + 45 * day, keep)
    })
    assert.equal(await queryNumber(place, 'select count(*) from monitoring_exceptions'), 1)
  })

  test('removes loaded exceptions by the time since they were loaded, and none while they are loaded', async (place) => {
    const loadedAt = start + 100 * day
    await withWriter(place, async (writer) => {
      await writer.append({
        exceptions: [1, 2, -1].map((serviceId) => ({
          serviceId,
          created: start,
          errorType: 'E',
          message: 'm',
          stack: 's',
        })),
      })
    })
    await withDatabase(place, async (database) => {
      await database.run('update monitoring_exceptions set load_id = 1 where service_id = 1')
      await database.insert('monitoring_loads', ['id', 'digest', 'loaded'], [[1, 'x', loadedAt]])
    })
    const services = async (now: number): Promise<unknown> => {
      await retain(place, now)
      return withDatabase(place, (database) =>
        database.arrays('select service_id from monitoring_exceptions order by service_id'),
      )
    }
    assert.deepEqual(await services(loadedAt + 29 * day), [[-1], [1]])
    assert.deepEqual(await services(loadedAt + 31 * day), [[-1]])
  })

  test('takes loaded rows into the next coarser table, by the time since they were loaded', async (place) => {
    await withDatabase(place, async (database) => {
      await database.insert('monitoring_loads', ['digest', 'loaded'], [['a', start]])
      const label = ['name', 'user_name']
      await database.insert('monitoring_labels', label, [['x', null]])
      const series = ['service_id', 'metric_id', 'event_type', 'resource_id', 'is_total', 'load_id']
      await database.insert('monitoring_series', series, [
        [1, 5, 9, 0, 0, 1],
        [1, 5, 9, 0, 1, 1],
      ])
      const old = Math.floor((start - 3000 * day) / day) * 86_400
      const columns = ['series_id', 'period', 'label_id', 'sum', 'weighted', 'min', 'max', 'samples', 'count']
      const rows = [0, 60, 3600].flatMap((after) =>
        [1, 0].map((label) => [2 - label, old + after, label, 5, 25, 5, 5, 5, 1, 1, 0]),
      )
      await database.insert('monitoring_minutes', [...columns, 'labels', 'users'], rows)
    })
    await retain(place, start + 3 * day)
    assert.equal(await countRows(place, 60), 6)
    await retain(place, start + 5 * day)
    await retain(place, start + 8 * day)
    await withDatabase(place, async (database) => {
      const hours = await database.arrays(
        'select series_id, sum, count, labels from monitoring_hours order by series_id, period',
      )
      assert.deepEqual(hours, [
        [1, 10, 2, 1],
        [1, 5, 1, 1],

        [2, 10, 2, 1],
        [2, 5, 1, 1],
      ])
    })
    assert.equal(await countRows(place, 60), 0)
    await retain(place, start + 95 * day)
    assert.equal(await countRows(place, 3600), 0)
    assert.equal(await queryNumber(place, 'select sum(sum) from monitoring_days where series_id = 1'), 15)
  })
})

async function late(place: SeriesLocation, events: RequestEvent[], now: number): Promise<number> {
  let dropped = 0
  await withWriter(place, async (writer) => {
    await writer.append({ events })
    let report = await writer.settle(now)
    for (dropped += report.dropped; report.hasMore; dropped += report.dropped)
      report = await writer.settle(now)
    await settleAll(writer, now)
  })
  return dropped
}

/** Advances the clock by a day, so that retention trusts it. */
async function retain(place: SeriesLocation, now: number, kept = keep): Promise<void> {
  await withWriter(place, async (writer) => {
    await retainAll(writer, now - 1.5 * day, kept)
    await retainAll(writer, now, kept)
  })
}

function countRows(place: SeriesLocation, resolution: Resolution): Promise<number> {
  const table = { 60: 'minutes', 3600: 'hours', 86400: 'days' }[resolution]
  return queryNumber(place, `select count(*) from monitoring_${table}`)
}

function laterBy(time: number): (request: RequestEvent) => RequestEvent {
  return (request) => ({ ...request, created: request.created + time })
}
