import assert from 'node:assert/strict'
import { seededRandom } from '../../../bench/random.ts'
import type { RequestEvent } from '../../../src/monitoring/series/request-event.ts'
import type { SeriesLocation } from '../../../src/monitoring/series/series-database.ts'
import type { Day } from '../../support/recount-day.ts'
import {
  assertSame,
  day,
  describeSeries,
  makeFacts,
  minute,
  openWriter,
  queryNumber,
  settleAll,
  start,
  testLimits,
  withWriter,
} from '../../support/series-writing.ts'

describeSeries('series', (test) => {
  for (const seed of [1, 2])
    test(`counts each request once, whatever the batches, restarts and late lines (seed ${seed})`, async (place) => {
      const facts = makeFacts(seed)
      await writeAtRandom(place, facts, seededRandom(seed))
      await assertSame(place, facts)
    })

  test('refuses a batch that somebody else has collected, and writes nothing of it', async (place) => {
    const facts = makeFacts(4, 40)
    const cursor = { source: 'log:1', from: undefined, to: '40' }
    await withWriter(place, async (writer) => {
      assert.equal(await writer.cursor('log:1'), undefined)
      assert.equal(await writer.append({ events: facts.requests, cursor }), true)
      assert.equal(await writer.append({ events: facts.requests, samples: facts.samples, cursor }), false)
      assert.equal(await writer.cursor('log:1'), '40')
      await settleAll(writer, start + 3 * day)
    })
    await assertSame(place, { requests: facts.requests }, [60])
  })

  test('computes no period before it has ended', async (place) => {
    const { requests } = makeFacts(5, 60)
    const now = start + 20 * minute
    await withWriter(place, async (writer) => {
      await writer.append({ events: requests })
      await settleAll(writer, now + 59_000)
    })
    await assertSame(place, { requests: requests.filter(({ created }) => created < now) }, [60])
  })

  test('keeps sums true beyond the cap, and estimates distinct labels within 2 %', async (place) => {
    const [template] = makeFacts(6, 40).requests
    assert.ok(template !== undefined)
    const requests = Array.from({ length: 12_000 }, (_, index): RequestEvent => {
      const user = `user${index % 4500}`
      const created = start + (index % 6) * minute
      const labels = { path: `/p/${index % 5000}`, visitor: `visitor ${index}`, userName: user }
      return { ...template, ...labels, created, eventType: null, resources: [] }
    })
    await withWriter(place, async (writer) => {
      await writer.append({ events: requests })
      await settleAll(writer, start + 3 * day)
    })
    await assertSame(place, { requests })
  })

  test('stores texts that a database cannot hold or index', async (place) => {
    const [template] = makeFacts(8, 40).requests
    assert.ok(template !== undefined)
    const labels = { path: `/nul\0/${'é'.repeat(5000)}`, userAgent: 'half \ud800 pair', userName: 'a\0b' }
    const request: RequestEvent = {
      ...template,
      ...labels,
      visitor: 'x',
      errorType: 'E\0',
      resources: [{ type: 'layer', name: 'l\0' }],
    }
    const exception = {
      serviceId: 1,
      created: start,
      errorType: 'E\0',
      message: '\ud800',
      stack: 'a\0',
      request,
    }
    await withWriter(place, async (writer) => {
      assert.equal(await writer.append({ events: [request], exceptions: [exception] }), true)
      await settleAll(writer, start + 3 * day)
    })
    const count = (name: string): Promise<number> =>
      queryNumber(place, 'select count(*) from monitoring_labels where name = ?', [name])
    assert.equal(await count('half \uFFFD pair'), 1)
    assert.equal(await count(`/nul\uFFFD/${'é'.repeat(494)}`), 1)
    const resources = 'select count(*) from monitoring_resources where name = ?'
    assert.equal(await queryNumber(place, resources, ['l\uFFFD']), 1)
    assert.equal(await queryNumber(place, 'select count(*) from monitoring_exceptions'), 1)
  })

  test('labels that are named (other) are among the others', async (place) => {
    const { requests } = makeFacts(9, 40)
    const named = requests.map((one) => ({ ...one, userAgent: '(other)' }))
    await withWriter(place, async (writer) => {
      await writer.append({ events: named })
      await settleAll(writer, start + 3 * day)
    })
    const sums = `select sum(r.sum) from monitoring_days r join monitoring_series s on s.id = r.series_id
      where metric_id = 5 and event_type = 9 and resource_id = 0 and is_total = ?`
    for (const isTotal of [0, 1]) assert.equal(await queryNumber(place, sums, [isTotal]), requests.length)
  })

  test('a removed service leaves nothing, and the others are as they were', async (place) => {
    const facts = makeFacts(10)
    await withWriter(place, async (writer) => {
      await writer.append({ events: facts.requests, samples: facts.samples })
      await settleAll(writer, start + 3 * day)
      await writer.append({ events: facts.requests.slice(0, 20) })
      await writer.removeService(1)
      await writer.removeService(2)
    })
    await assertSame(place, { requests: [], samples: facts.samples })
    assert.equal(await queryNumber(place, 'select count(*) from monitoring_requests'), 0)
    assert.equal(await queryNumber(place, 'select count(*) from monitoring_dirty'), 0)
    assert.equal(await queryNumber(place, 'select count(*) from monitoring_series where service_id <> 3'), 0)
  })

  test('loses and doubles nothing when the clock leaps a year ahead and back', async (place) => {
    const facts = makeFacts(11)
    const [before, after] = [facts.requests.slice(0, 120), facts.requests.slice(120)]
    const ahead = before.slice(0, 10).map((one) => ({ ...one, created: one.created + 365 * day }))
    await withWriter(place, async (writer) => {
      await writer.append({ events: [...before, ...ahead] })
      await settleAll(writer, start + 365 * day + 2 * day)
      for (const one of after) await writer.append({ events: [one] })
      await settleAll(writer, start + 3 * day)
    })
    const all = { requests: [...facts.requests, ...ahead] }
    await assertSame(place, all, [60])
    await assertSame(place, all, [3600, 86_400])
  })
})

describeSeries(
  'series of several processes',
  (test) => {
    test('counts once what two writers collect at the same time', async (place) => {
      const facts = makeFacts(7)
      const halves = [0, 1].map((half) => facts.requests.filter((_, index) => index % 2 === half))
      const writers = [await openWriter(place), await openWriter(place)]
      const [first, second] = await Promise.all(
        writers.map(async (writer, index) => {
          const cursor = { source: 'shared', from: undefined, to: 'read' }
          const own = halves[index] ?? []
          for (let from = 0; from < own.length; from += 20) {
            await writer.append({ events: own.slice(from, from + 20) })
            await writer.settle(start + 3 * day)
          }
          return writer.append({ samples: facts.samples, cursor })
        }),
      )
      assert.deepEqual([first, second].sort(), [false, true])
      for (const writer of writers) {
        await settleAll(writer, start + 3 * day)
        await writer.close()
      }
      await assertSame(place, facts)
    })
  },
  ['PostgreSQL'],
)

/** Appends in batches of any size, partly out of order, with new writers, and settles in between. */
async function writeAtRandom(place: SeriesLocation, facts: Day, draw: () => number): Promise<void> {
  const late = facts.requests.filter(() => draw() < 0.1)
  const isLate = new Set(late)
  const events = [...facts.requests.filter((one) => !isLate.has(one)), ...late]
  let writer = await openWriter(place, testLimits)
  let [read, sampled] = [0, 0]
  while (read < events.length || sampled < facts.samples.length) {
    const [from, to] = [read, read + 1 + Math.floor(draw() * 40)]
    const next = sampled + Math.floor(draw() * 200)
    const batch = { events: events.slice(from, to), samples: facts.samples.slice(sampled, next) }
    const cursor = { source: 'log:1', from: from === 0 ? undefined : `${from}`, to: `${to}` }
    assert.equal(await writer.append({ ...batch, cursor }), true)
    assert.equal(await writer.append({ ...batch, cursor }), false)
    read = to
    sampled = next
    if (draw() < 0.5) await writer.settle(start + 3 * day * draw())
    if (draw() < 0.4) {
      await writer.close()
      writer = await openWriter(place, testLimits)
    }
  }
  await settleAll(writer, start + 3 * day)
  await writer.close()
}
