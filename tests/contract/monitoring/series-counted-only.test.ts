import assert from 'node:assert/strict'
import { seededRandom } from '../../../bench/random.ts'
import type { RequestEvent } from '../../../src/monitoring/series/request-event.ts'
import type { SeriesLocation } from '../../../src/monitoring/series/series-database.ts'
import { readRequestLog } from '../../support/request-log.ts'
import {
  assertSame,
  day,
  describeSeries,
  hour,
  makeFacts,
  queryNumber,
  retainAll,
  settleAll,
  start,
  testLimits,
  withDatabase,
  withWriter,
} from '../../support/series-writing.ts'

/** Above these limits sums stay correct, but not the distinction of labels. */
const limits = { ...testLimits, labels: 1000, visitors: 1000, resources: 1000 }
const kept = 'select count(*) from monitoring_requests where batch > 0'

/** Requests of the map server are counted only, so that minutes have both kinds. */
function markMapServer(requests: readonly RequestEvent[]): RequestEvent[] {
  return requests.map((one) =>
    one.serviceId === 2 ? { ...one, isCountedOnly: true } : { ...one, serviceId: 2 },
  )
}

async function loggedNumber(place: SeriesLocation): Promise<number> {
  return withDatabase(place, async (database) => {
    const [found] = await database.arrays('select sum(requests) from monitoring_requests')
    return Number(found?.[0] ?? 0)
  })
}

describeSeries('requests that are counted only', (test) => {
  test('count like others, however late they come, and leave their number in the log', async (place) => {
    const draw = seededRandom(21)
    const requests = markMapServer(makeFacts(21).requests)
    const late = requests.filter(() => draw() < 0.3)
    const early = requests.filter((one) => !late.includes(one))
    await withWriter(
      place,
      async (writer) => {
        await writer.append({ events: early })
        assert.ok(await queryNumber(place, kept))
        await settleAll(writer, start + 3 * day)
        for (let at = 0; at < late.length; at += 15) {
          await writer.append({ events: late.slice(at, at + 15), isFrequent: at % 2 === 0 })
          if (draw() < 0.7) await settleAll(writer, start + 3 * day)
        }
        await settleAll(writer, start + 3 * day)
      },
      limits,
    )
    await assertSame(place, { requests }, [60, 3600, 86_400], limits)
    const whole = requests.filter((one) => one.isCountedOnly !== true)
    assert.ok(whole.length > 20 && whole.length < requests.length - 20)
    if ('path' in place) assert.equal((await readRequestLog(place)).length, whole.length)
    assert.equal(await loggedNumber(place), requests.length)
  })

  test('are added to hours whose minutes are gone', async (place) => {
    const requests = markMapServer(makeFacts(22).requests)
    const late = requests.filter((_, index) => index % 5 === 0)
    const now = start + 4 * day
    await withWriter(
      place,
      async (writer) => {
        await writer.append({ events: requests.filter((one) => !late.includes(one)) })
        await settleAll(writer, now)
        await retainAll(writer, now, { minuteDays: 1 })
        for (const events of [late.slice(0, 20), late.slice(20)]) {
          await writer.append({ events })
          await settleAll(writer, now + hour)
        }
      },
      limits,
    )
    const sum = `select sum(sum) from monitoring_hours r join monitoring_series s on s.id = r.series_id
      where metric_id = 2 and event_type = 9 and resource_id = 0`
    assert.equal(await queryNumber(place, sum), requests.length)
    assert.equal(await loggedNumber(place), requests.length)
  })

  test('go with the log when it is too old, and with their service', async (place) => {
    const requests = markMapServer(makeFacts(23, 60).requests)
    await withWriter(place, async (writer) => {
      await writer.append({ events: requests })
      await settleAll(writer, start + 3 * day)
      await retainAll(writer, start + 3 * day, { requestDays: 1 })
    })
    assert.equal(await loggedNumber(place), 0)
    await withWriter(place, async (writer) => {
      await writer.append({ events: requests.map((one) => ({ ...one, created: one.created + 3 * day })) })
      await settleAll(writer, start + 5 * day)
      await writer.removeService(2)
    })
    assert.equal(await loggedNumber(place), 0)
  })
})
