import assert from 'node:assert/strict'
import { seededRandom } from '../../../bench/random.ts'
import { readUses } from '../../../src/monitoring/query/use-reads.ts'
import type { RequestEvent } from '../../../src/monitoring/series/request-event.ts'
import type { SeriesPlace } from '../../../src/monitoring/series/series-database.ts'
import type { UseSplit } from '../../../src/monitoring/series/use-counts.ts'
import { useSplits } from '../../../src/monitoring/series/use-counts.ts'
import {
  assertSame,
  day,
  describeSeries,
  hour,
  makeFacts,
  openWriter,
  queryNumber,
  retainAll,
  settleAll,
  start,
  testLimits,
  withDatabase,
  withWriter,
} from '../../support/series-writing.ts'

const zone = 'Europe/Berlin'
const limits = { ...testLimits, labels: 4, zone }
const splits = Object.keys(useSplits) as UseSplit[]

interface Expected {
  requests: number
  errors: number
  bytes: number
  timed: number
  lastUse: number
  visitors: Set<string>
  times: number[]
}

/** Requests over the days at which Berlin's clocks are set back and November begins, with what uses are split by. */
function makeRequests(seed: number): RequestEvent[] {
  const draw = seededRandom(seed)
  const pick = <T>(...all: T[]): T => all[Math.floor(draw() * all.length)] as T
  const { requests } = makeFacts(seed, 400)
  const clockChange = Date.UTC(2026, 9, 25) - 90 * 60_000
  const earlier = requests.map((one) => ({ ...one, created: one.created - start + clockChange }))
  return [...earlier, ...requests].map((one) => ({
    ...one,
    kind: pick('robots', 'people', 'people', null),
    network: pick('own', 'others', 'others', null),
    referrer: pick(null, ...Array.from({ length: 8 }, (_, index) => `host${index}.example`), 'host1.example'),
  }))
}

function dayIn(inZone: string, created: number): number {
  if (inZone === '') return Math.floor(created / day) * 86_400
  // Berlin is two hours ahead until 1:00 UTC of 25 October 2026, then one.
  const ahead = (time: number): number => (time < Date.UTC(2026, 9, 25, 1) ? 2 : 1) * hour
  const local = Math.floor((created + ahead(created)) / day) * day
  return (local - ahead(local - 2 * hour)) / 1000
}

function labelOf(request: RequestEvent, split: UseSplit): string {
  return split === 'all' ? '' : (request[split] ?? '(none)')
}

/** Recounts from the list; labels beyond what the rows name are `(other)`. */
function recount(
  requests: RequestEvent[],
  inZone: string,
  split: UseSplit,
  named: Set<string>,
): Map<string, Expected> {
  const found = new Map<string, Expected>()
  for (const one of requests) {
    const label = labelOf(one, split)
    const at = `${one.serviceId} ${dayIn(inZone, one.created)}`
    const shown = named.has(`${at} ${label}`) ? label : '(other)'
    for (const resource of ['', ...one.resources.map(({ type, name }) => `${type}=${name}`)]) {
      const key = `${at} ${resource} ${shown}`
      const use = found.get(key) ?? {
        ...{ requests: 0, errors: 0, bytes: 0, timed: 0, lastUse: 0, visitors: new Set<string>(), times: [] },
      }
      found.set(key, use)
      use.requests += 1
      use.errors += one.errorType === null ? 0 : 1
      use.bytes += one.sizeBytes
      use.lastUse = Math.max(use.lastUse, one.created)
      if (one.visitor !== null) use.visitors.add(one.visitor)
      if (one.milliseconds !== null) use.times.push(one.milliseconds)
      use.timed = use.times.length
    }
  }
  return found
}

async function assertUses(place: SeriesPlace, requests: RequestEvent[]): Promise<void> {
  await withDatabase(place, async (database) => {
    for (const inZone of ['', zone]) {
      for (const split of splits) {
        const query = { from: 0, to: 4e9, zone: inZone, split }
        const all = await readUses(database, { ...query, isByResource: false })
        const named = new Set(all.map((row) => `${row.serviceId} ${row.day} ${row.label}`))
        const rows = [...all, ...(await readUses(database, { ...query, isByResource: true }))]
        const expected = recount(requests, inZone, split, named)
        assert.equal(rows.length, expected.size, `${inZone} ${split}`)
        for (const { serviceId, day: at, resource, label, use } of rows) {
          const name = resource === undefined ? '' : `${resource.type}=${resource.name}`
          const one = expected.get(`${serviceId} ${at} ${name} ${label}`)
          assert.ok(one !== undefined, `${inZone} ${split} ${serviceId} ${at} ${name} ${label}`)
          const { requests: count, errors, bytes, timed, lastUse, times } = use
          assert.deepEqual(
            { count, errors, bytes, timed, lastUse },
            {
              count: one.requests,
              errors: one.errors,
              bytes: one.bytes,
              timed: one.timed,
              lastUse: Math.floor(one.lastUse),
            },
          )
          const sorted = one.times.sort((a, b) => a - b)
          const median = sorted[Math.ceil(sorted.length / 2) - 1]
          if (median !== undefined && median > 0.01)
            assert.ok(Math.abs((times.quantile(0.5) ?? 0) / median - 1) < 0.011)
          if (split === 'all') assert.equal(use.visitors?.labels.estimate(), one.visitors.size)
        }
      }
    }
  })
}

describeSeries('uses of layers', (test) => {
  test('are told by day, of UTC and of a zone, as a plain recount has them', async (place) => {
    const requests = makeRequests(5)
    const parts = [requests.filter((_, at) => at % 3 !== 0), requests.filter((_, at) => at % 3 === 0)]
    for (const [turn, events] of parts.entries()) {
      const writer = await openWriter(place, limits)
      await writer.append({ events })
      await settleAll(writer, start + day + turn * hour)
      await writer.close()
    }
    await assertUses(place, requests)
    const berlin = await withDatabase(place, (database) =>
      readUses(database, { from: 0, to: 4e9, zone, split: 'all', isByResource: false }),
    )
    const lengths = new Set(berlin.map((row) => (row.dayEnd - row.day) / 3600))
    assert.deepEqual([...lengths].sort(), [24, 25])
  })

  test('begin with the first start of this version over what an earlier one has written', async (place) => {
    const requests = makeRequests(7)
    await withWriter(place, (writer) => writer.append({ events: requests }).then(() => undefined), limits)
    await withDatabase(place, async (database) => {
      await database.run('drop table monitoring_uses')
      if (database.kind === 'sqlite') await database.all('pragma user_version = 2')
      else await database.run("update monitoring_state set value = 2 where name = 'schema_version'")
    })
    await withWriter(place, (writer) => settleAll(writer, start + day), limits)
    await assertUses(place, requests)
  })

  test('count small pieces once, whose batch grows in the log until a minute of it is computed', async (place) => {
    const requests = makeRequests(8).sort((a, b) => a.created - b.created)
    await withWriter(
      place,
      async (writer) => {
        for (let at = 0; at < requests.length; at += 9) {
          const events = requests.slice(at, at + 9)
          assert.equal(await writer.append({ events, isFrequent: true }), true)
          // Every third time up to a minute that has just ended, with requests of it still to come.
          if (at % 27 === 0) await settleAll(writer, (events.at(-1)?.created ?? 0) + 1)
        }
        await settleAll(writer, start + day)
      },
      limits,
    )
    await assertUses(place, requests)
    await assertSame(place, { requests }, [60], limits)
    const batches = await queryNumber(place, 'select count(distinct batch) from monitoring_requests')
    assert.ok(batches < requests.length / 9, `${batches} batches`)
  })

  test('count each batch of a minute once, in whatever order the database gives them', async (place) => {
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
    await assertUses(place, requests)
  })

  test('are capped, count what is written again once, and go with their age and their service', async (place) => {
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
    await assertUses(place, requests)
    const labels = await withDatabase(place, async (database) => {
      const rows = await readUses(database, { from: 0, to: 4e9, split: 'referrer', isByResource: false })
      return Map.groupBy(rows, (row) => `${row.serviceId} ${row.day}`)
    })
    for (const rows of labels.values()) assert.ok(rows.length <= 6, 'four, (none) and (other)')
    await withWriter(place, (writer) => writer.removeService(1), limits)
    assert.equal(await queryNumber(place, 'select count(*) from monitoring_uses where service_id = 1'), 0)
    assert.ok((await queryNumber(place, 'select count(*) from monitoring_uses')) > 0)
    await withWriter(place, (writer) => retainAll(writer, start + 2 * day, { dayDays: 1 }), limits)
    const keptFrom = Date.UTC(2026, 10, 1) / 1000
    assert.equal(await queryNumber(place, `select count(*) from monitoring_uses where day < ${keptFrom}`), 0)
    assert.ok((await queryNumber(place, 'select count(*) from monitoring_uses')) > 0)
  })
})
