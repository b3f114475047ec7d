import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Retention, SeriesLimits } from '../../src/core/config/monitoring-settings.ts'
import { openSeriesDatabase } from '../../src/monitoring/series/open-series-database.ts'
import type { Resolution } from '../../src/monitoring/series/schema.ts'
import type { SeriesWriter } from '../../src/monitoring/series/series.ts'
import type { SeriesDatabase, SeriesLocation, SqlValue } from '../../src/monitoring/series/series-database.ts'
import { createSeriesWriter } from '../../src/monitoring/series/series-writer.ts'
import { testCluster } from './postgres.ts'
import type { Day } from './recount-day.ts'
import { makeDay } from './recount-day.ts'
import type { Facts } from './series-rows.ts'
import { countRows, differences, readRows } from './series-rows.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const testLimits: SeriesLimits = { labels: 6, visitors: 25, resources: 100 }
/** Some time before the midnight at which November begins. */
export const start = Date.UTC(2026, 10, 1) - 35 * minute

const keepAll: Retention = {
  minuteDays: 0,
  hourDays: 0,
  dayDays: 0,
  requestDays: 0,
  exceptionDays: 0,
  maxBytes: 0,
}

interface TestedLocation {
  place: SeriesLocation
  remove(): Promise<void>
}

type SeriesTest = (name: string, work: (place: SeriesLocation) => Promise<void>) => void

const kinds = { SQLite: makeFile, PostgreSQL: makeDatabase }

/** Runs the tests on these kinds of databases, each test on an empty series. */
export function describeSeries(
  name: string,
  define: (test: SeriesTest) => void,
  on: readonly (keyof typeof kinds)[] = ['SQLite', 'PostgreSQL'],
): void {
  for (const kind of on) {
    const makePlace = kinds[kind]
    describe(`${name} in ${kind}`, () => {
      define((title, work) => {
        it(title, async () => {
          const { place, remove } = await makePlace()
          try {
            await work(place)
          } finally {
            await remove()
          }
        })
      })
    })
  }
}

async function makeFile(): Promise<TestedLocation> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-series-'))
  return {
    place: { path: join(folder, 'monitoring.sqlite') },
    remove: async () => rmSync(folder, { recursive: true }),
  }
}

async function makeDatabase(): Promise<TestedLocation> {
  const cluster = await testCluster()
  const url = await cluster.createDatabase()
  return { place: { url }, remove: () => cluster.dropDatabase(url) }
}

/** Requests of an application (1) and a map server (2), samples of a host (3), over a midnight and change of month. */
export function makeFacts(seed: number, requests = 250): Day {
  const services = { applications: [1], mapServers: [2], hosts: [3] }
  return makeDay({ seed, requests, from: start, minutes: 75, ...services })
}

export async function openWriter(place: SeriesLocation, limits = testLimits): Promise<SeriesWriter> {
  return createSeriesWriter(await openSeriesDatabase(place), limits)
}

/** Opens a writer, works with it and closes it. */
export async function withWriter(
  place: SeriesLocation,
  work: (writer: SeriesWriter) => Promise<void>,
  limits = testLimits,
): Promise<void> {
  const writer = await openWriter(place, limits)
  try {
    await work(writer)
  } finally {
    await writer.close()
  }
}

export async function settleAll(writer: SeriesWriter, now: number): Promise<void> {
  for (let piece = 0; (await writer.settle(now)).hasMore; piece += 1) assert.ok(piece < 10_000)
}

export async function retainAll(writer: SeriesWriter, now: number, keep: Partial<Retention>): Promise<void> {
  for (let piece = 0; await writer.retain(now, { ...keepAll, ...keep }); piece += 1) assert.ok(piece < 10_000)
}

export async function withDatabase<T>(
  place: SeriesLocation,
  work: (database: SeriesDatabase) => Promise<T>,
): Promise<T> {
  const database = await openSeriesDatabase(place)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Returns the single value of a query. */
export async function queryNumber(
  place: SeriesLocation,
  sql: string,
  values: SqlValue[] = [],
): Promise<number> {
  const rows = await withDatabase(place, (database) => database.arrays(sql, values))
  return Number(rows[0]?.[0])
}

/** Fails unless the tables hold exactly what a plain recount gives. */
export async function assertSame(
  place: SeriesLocation,
  facts: Facts,
  resolutions: readonly Resolution[] = [60, 3600, 86_400],
  limits = testLimits,
): Promise<void> {
  await withDatabase(place, async (database) => {
    for (const resolution of resolutions) {
      const found = differences(countRows(facts, resolution, limits), await readRows(database, resolution))
      assert.deepEqual(found.slice(0, 5), [], `${found.length} differences in rows of ${resolution} s`)
    }
  })
}
