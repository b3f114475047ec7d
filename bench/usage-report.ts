import { performance } from 'node:perf_hooks'
import { openSeriesDatabase } from '../src/monitoring/series/open-series-database.ts'
import type { SeriesDatabase } from '../src/monitoring/series/series-database.ts'
import { createTestApp } from '../tests/support/app.ts'
import { placeOf } from '../tests/support/fed-monitoring.ts'
import { fillCatalogue } from './many-layers.ts'
import { quantile } from './quantile.ts'
import { seededRandom } from './random.ts'
import { layerCount, mixes, writeDay } from './usage-days.ts'

// The usage report of a month with 1,000 layers over HTTP: `node bench/usage-report.ts [postgres://...]`.

const rounds = 30
const first = Date.UTC(2026, 9, 1) / 1000
const days = 31
const queries = [
  'by=layer',
  'by=layer&format=csv',
  'by=country',
  'by=day',
  'by=layer&compare=year',
  'format=counter',
]

async function nameKeys(database: SeriesDatabase): Promise<void> {
  const names = Array.from({ length: layerCount }, (_, index) => [1, `default:layer_${index}`])
  await database.insert('monitoring_resources', ['type', 'name'], names)
  const labels = Array.from({ length: 1100 }, (_, index) => [`label ${index}`])
  await database.insert('monitoring_labels', ['name'], labels)
  await database.insert('monitoring_usage_zones', ['name', 'since'], [['UTC', first]])
}

async function measure(mix: string, url: string | undefined): Promise<void> {
  const server = await createTestApp({
    env: { TERRANE_MONITORING: 'on', ...(url === undefined ? {} : { TERRANE_DATABASE_URL: url }) },
  })
  try {
    await fillCatalogue(server, layerCount)
    const database = await openSeriesDatabase(placeOf(server))
    await nameKeys(database)
    const draw = seededRandom(34)
    for (let day = 0; day < days; day += 1)
      await database.transaction((inside) =>
        writeDay(inside, first + day * 86_400, mixes[mix] ?? (() => 0), draw),
      )
    await database.close()
    process.stdout.write(`${url === undefined ? 'SQLite' : 'PostgreSQL'}, ${layerCount} layers, ${mix}\n`)
    for (const query of queries) {
      const times: number[] = []
      for (let round = 0; round <= rounds; round += 1) {
        const begun = performance.now()
        const reply = await server.app.inject({
          url: `/monitoring/api/report?from=2026-10&to=2026-10&${query}`,
          headers: server.admin,
        })
        times.push(performance.now() - begun)
        if (reply.statusCode !== 200) throw new Error(reply.body)
      }
      const [cold = 0, ...others] = times
      const text = [quantile(others, 0.5), quantile(others, 0.95)].map((one) => one.toFixed(0)).join(' / ')
      process.stdout.write(`  ${query.padEnd(24)} first ${cold.toFixed(0)} ms, then p50 / p95 ${text} ms\n`)
    }
  } finally {
    await server.close()
  }
}

const [url] = process.argv.slice(2)
for (const mix of Object.keys(mixes)) await measure(mix, url)
