import assert from 'node:assert/strict'
import { seededRandom } from '../../../bench/random.ts'
import { readUsage } from '../../../src/monitoring/query/usage-reads.ts'
import type { RequestEvent } from '../../../src/monitoring/series/request-event.ts'
import type { SeriesLocation } from '../../../src/monitoring/series/series-database.ts'
import { usageTables } from '../../../src/monitoring/series/usage-store.ts'
import {
  assertSame,
  day,
  describeSeries,
  hour,
  makeFacts,
  minute,
  openWriter,
  queryNumber,
  retainAll,
  settleAll,
  start,
  testLimits,
  withDatabase,
  withWriter,
} from '../../support/series-writing.ts'
import { assertDemand, assertUsage } from '../../support/usage-recount.ts'

const zone = 'Europe/Berlin'
const demandCells = 6
const limits = { ...testLimits, labels: 4, zone, demandCells }
const dailySeconds = 86_400

/** Requests over the days at which Berlin's clocks are set back and November begins, with what usage is counted by. */
function makeRequests(seed: number, count = 100): RequestEvent[] {
  const draw = seededRandom(seed)
  const pick = <T>(...all: T[]): T => all[Math.floor(draw() * all.length)] as T
  const { requests } = makeFacts(seed, count)
  // Half an hour before the midnights at which Berlin's day of 25 hours begins and ends.
  const days = [Date.UTC(2026, 9, 24, 21, 30), Date.UTC(2026, 9, 25, 22, 30), start]
  const turns = days.flatMap((from) =>
    requests.map((one) => ({ ...one, created: one.created - start + from })),
  )
  return turns.map((one) => ({
    ...one,
    kind: pick('robots', 'people', 'people', null),
    network: pick('own', 'others', 'others', null),
    referrer: pick(null, ...Array.from({ length: 8 }, (_, index) => `host${index}.example`), 'host1.example'),
    userAgentFamily: pick(
      null,
      'PC / Windows / QGIS 3.22',
      'Other / Other / curl 8.5',
      'PC / Ubuntu / Firefox 140.0',
    ),
    usageClass: pick(null, 'tiles', 'tiles', 'maps', 'features', 'downloads', 'metadata', 'imports'),
    firstByteMilliseconds: draw() < 0.3 || one.milliseconds === null ? null : one.milliseconds * draw(),
    area: pick(null, '*', '5', '5,6,261,262', String(Math.floor(draw() * 12)), '65535'),
    resources: one.resources.map((resource) =>
      resource.name.startsWith('ws1:') ? { ...resource, owner: 'anna' } : resource,
    ),
  }))
}

/** Berlin is two hours ahead of UTC until 1:00 UTC of 25 October 2026, then one. */
function dayInBerlin(seconds: number): number {
  const ahead = (time: number): number => (time < Date.UTC(2026, 9, 25, 1) / 1000 ? 7200 : 3600)
  const local = Math.floor((seconds + ahead(seconds)) / dailySeconds) * dailySeconds
  return local - ahead(local - 7200)
}

async function assertCounted(place: SeriesLocation, requests: RequestEvent[], cells = 1000): Promise<void> {
  await withDatabase(place, async (database) => {
    await assertUsage(database, requests, { zone, dayOf: dayInBerlin })
    await assertDemand(database, requests, { zone, dayOf: dayInBerlin, cells })
  })
}

describeSeries('usage of layers', (test) => {
  test('is counted by day of the zone, as a plain recount of the requests has it', async (place) => {
    const requests = makeRequests(5)
    const parts = [requests.filter((_, at) => at % 3 !== 0), requests.filter((_, at) => at % 3 === 0)]
    for (const [turn, events] of parts.entries()) {
      const writer = await openWriter(place, limits)
      await writer.append({ events })
      await settleAll(writer, start + day + turn * hour)
      await writer.close()
    }
    await assertCounted(place, requests)
    const { rows } = await withDatabase(place, (database) =>
      readUsage(database, { from: 0, to: 4e9, zone, scope: 'all' }),
    )
    const daysOfOctober = [24, 25].map((date) => Date.UTC(2026, 9, date - 1, 22) / 1000)
    const laterDays = [Date.UTC(2026, 9, 25, 23), Date.UTC(2026, 9, 31, 23)].map((time) => time / 1000)
    assert.deepEqual([...new Set(rows.map((row) => row.day))], [...daysOfOctober, ...laterDays])
  })

  test('keeps its numbers when days are closed, and nothing of single visitors', async (place) => {
    const requests = makeRequests(15)
    await withWriter(
      place,
      async (writer) => {
        await writer.append({ events: requests })
        await settleAll(writer, start + day)
        const openBytes = await queryNumber(place, 'select sum(length(cells)) from monitoring_usage_open')
        assert.equal(await queryNumber(place, 'select count(*) from monitoring_usage'), 0)
        await retainAll(writer, start + 2 * day, {})
        await retainAll(writer, start + 3 * day, {})
        await retainAll(writer, start + 4 * day, {})
        await retainAll(writer, start + 5 * day, {})
        const closedBytes = await queryNumber(place, 'select sum(length(cells)) from monitoring_usage')
        assert.ok(closedBytes < openBytes * 0.8, `${closedBytes} of ${openBytes}`)
        for (const table of ['monitoring_usage_open', 'monitoring_demand_open'])
          assert.equal(await queryNumber(place, `select count(*) from ${table}`), 0)
      },
      limits,
    )
    await assertCounted(place, requests, demandCells)
  })

  test('takes late requests of closed days, each once', async (place) => {
    const requests = makeRequests(16)
    // Visitors of late requests differ from those of requests in time: the salt has changed by then.
    const events = requests.map((one, at) =>
      at % 5 === 0 && one.visitor !== null
        ? { ...one, visitor: `late ${one.serviceId} ${one.visitor}` }
        : one,
    )
    await withWriter(
      place,
      async (writer) => {
        await writer.append({ events: events.filter((_, at) => at % 5 !== 0) })
        await settleAll(writer, start + day)
        for (let days = 2; days <= 5; days += 1) await retainAll(writer, start + days * day, {})
        await writer.append({ events: events.filter((_, at) => at % 5 === 0) })
        await settleAll(writer, start + 6 * day)
      },
      { ...limits, labels: 100, demandCells: 100 },
    )
    await assertCounted(place, events)
  })

  test('begins with the first start of this version over what an earlier one has written', async (place) => {
    const requests = makeRequests(7)
    await withWriter(place, (writer) => writer.append({ events: requests }).then(() => undefined), limits)
    await withDatabase(place, async (database) => {
      for (const table of ['monitoring_usage_zones', ...usageTables])
        await database.run(`drop table ${table}`)
      if (database.kind === 'sqlite') await database.all('pragma user_version = 4')
      else await database.run("update monitoring_state set value = 4 where name = 'schema_version'")
    })
    await withWriter(place, (writer) => settleAll(writer, start + day), limits)
    await assertCounted(place, requests)
  })

  test('counts small pieces once, whose batch grows in the log until a minute of it is computed', async (place) => {
    const requests = makeRequests(8).sort((a, b) => a.created - b.created)
    await withWriter(
      place,
      async (writer) => {
        for (let at = 0; at < requests.length; at += 9) {
          const events = requests.slice(at, at + 9)
          assert.equal(await writer.append({ events, isFrequent: true }), true)
          // Every third time up to a minute that has just ended and for which requests still follow.
          if (at % 27 === 0) await settleAll(writer, (events.at(-1)?.created ?? 0) + 1)
        }
        await settleAll(writer, start + day)
      },
      limits,
    )
    await assertCounted(place, requests)
    await assertSame(place, { requests }, [60], limits)
    const batches = await queryNumber(place, 'select count(distinct batch) from monitoring_requests')
    assert.ok(batches < requests.length / 9, `${batches} batches`)
  })

  test('counts each batch of a minute once, in whatever order the database gives them', async (place) => {
    const requests = makeRequests(9)
    await withWriter(
      place,
      async (writer) => {
        for (let part = 0; part < 4; part += 1)
          await writer.append({ events: requests.filter((_, at) => at % 4 === part) })
        await withDatabase(place, async (database) => {
          const rows = await database.arrays(
            'select service_id, minute, batch from monitoring_dirty order by batch desc',
          )
          await database.run('delete from monitoring_dirty')
          await database.insert('monitoring_dirty', ['service_id', 'minute', 'batch'], rows)
        })
        await settleAll(writer, start + day)
      },
      limits,
    )
    await assertCounted(place, requests)
  })

  test('keeps the days of a zone when the zone is changed, and counts each request in one of them', async (place) => {
    const requests = makeRequests(11).sort((a, b) => a.created - b.created)
    const middle = Math.floor(requests.length * 0.75)
    const parts = [requests.slice(0, middle), requests.slice(middle)] as const
    const { zone: _, ...inUtc } = limits
    await withWriter(
      place,
      async (writer) => {
        await writer.append({ events: parts[0] })
        await settleAll(writer, start + day)
      },
      limits,
    )
    await withWriter(
      place,
      async (writer) => {
        await writer.append({ events: parts[1] })
        await settleAll(writer, start + day)
      },
      inUtc,
    )
    await assertCounted(place, [...parts[0]])
    await withDatabase(place, (database) =>
      assertUsage(database, parts[1], {
        zone: 'UTC',
        dayOf: (seconds) => Math.floor(seconds / dailySeconds) * dailySeconds,
      }),
    )
  })

  test('takes a layer of the default workspace for one, whether its name says so or not', async (place) => {
    const [pattern] = makeRequests(12)
    const of = (seconds: number, name: string, serviceId = 2): RequestEvent => ({
      ...(pattern ?? assert.fail()),
      serviceId,
      created: start + seconds * 1000,
      resources: [{ type: 'layer', name }],
      area: '7',
      method: 'GET',
      status: 200,
      errorType: null,
      kind: 'people',
      usageClass: 'maps',
      visitor: 'v',
    })
    const early = [of(1, 'states'), of(2, 'states'), of(3, 'rivers'), of(3, 'states', 3)]
    const later = [of(70, 'default:states'), of(80, 'states'), of(80, 'rivers')]
    const latest = [of(200, 'states')]
    const whole = (all: RequestEvent[]): RequestEvent[] =>
      all.map((one) =>
        one.serviceId === 2 && one.resources[0]?.name === 'states'
          ? of(one.created / 1000 - start / 1000, 'default:states')
          : one,
      )
    await withWriter(
      place,
      async (writer) => {
        for (const events of [early, later, latest]) {
          await writer.append({ events })
          await settleAll(writer, start + day)
        }
      },
      limits,
    )
    const { rows } = await withDatabase(place, (database) =>
      readUsage(database, { from: 0, to: 4e9, zone, scope: 'resource' }),
    )
    assert.deepEqual(
      rows.map(({ serviceId, resource, row }) => [serviceId, resource?.name, row.requests]).sort(),
      [
        [2, 'default:states', 5],
        [2, 'rivers', 2],
        [3, 'states', 1],
      ],
    )
    await withDatabase(place, (database) =>
      assertDemand(database, whole([...early, ...later, ...latest]), {
        zone,
        dayOf: dayInBerlin,
        cells: 100,
      }),
    )
  })

  test('is capped, counts what is written again once, and goes with its age and its service', async (place) => {
    const requests = makeRequests(6)
    await withWriter(
      place,
      async (writer) => {
        const cursor = { source: 'log:1', from: undefined, to: '1' }
        assert.equal(await writer.append({ events: requests, cursor }), true)
        assert.equal(await writer.append({ events: requests, cursor }), false)
        await settleAll(writer, start + day)
        await settleAll(writer, start + 2 * day)
      },
      limits,
    )
    await assertCounted(place, requests)
    const labels = await withDatabase(place, async (database) => {
      const { rows } = await readUsage(database, { from: 0, to: 4e9, zone, scope: 'referrer' })
      return Map.groupBy(rows, (row) => `${row.serviceId} ${row.day}`)
    })
    for (const rows of labels.values()) assert.ok(rows.length <= 6, 'four, (none) and (other)')
    const tables = ['monitoring_usage_open', 'monitoring_demand_open']
    await withWriter(place, (writer) => writer.removeService(1), limits)
    for (const table of tables) {
      assert.equal(await queryNumber(place, `select count(*) from ${table} where service_id = 1`), 0)
      assert.ok((await queryNumber(place, `select count(*) from ${table}`)) > 0)
    }
    await withWriter(place, (writer) => retainAll(writer, start + 2 * day, { dayDays: 1 }), limits)
    const keptFrom = Date.UTC(2026, 9, 31, 23) / 1000
    for (const table of tables) {
      assert.equal(await queryNumber(place, `select count(*) from ${table} where day < ${keptFrom}`), 0)
      assert.ok((await queryNumber(place, `select count(*) from ${table}`)) > 0)
    }
  })

  test('counts more than a hundred requests of a layer by buckets of times', async (place) => {
    const requests = makeRequests(13, 300).map((one) => ({
      ...one,
      resources: [{ type: 'layer', name: 'ws:busy' } as const],
    }))
    await withWriter(
      place,
      async (writer) => {
        for (let at = 0; at < requests.length; at += 200) {
          await writer.append({ events: requests.slice(at, at + 200) })
          await settleAll(writer, start + day)
        }
      },
      limits,
    )
    await assertCounted(place, requests)
  })
})

describeSeries(
  'usage of layers that two servers count',
  (test) => {
    test('is added to the same day', async (place) => {
      const requests = makeRequests(10).sort((a, b) => a.created - b.created)
      const writers = [await openWriter(place, limits), await openWriter(place, limits)]
      for (let at = 0; at < requests.length; at += 40) {
        const writer = writers[(at / 40) % 2]
        const events = requests.slice(at, at + 40)
        await writer?.append({ events, isFrequent: true })
        await writers[(at / 40 + (at % 3)) % 2]?.settle((events.at(-1)?.created ?? 0) + minute)
      }
      await Promise.all(writers.map((writer) => settleAll(writer, start + day)))
      for (const writer of writers) await writer.close()
      await assertCounted(place, requests)
    })
  },
  ['PostgreSQL'],
)
