import { performance } from 'node:perf_hooks'
import { openSeriesDatabase } from '../src/monitoring/series/open-series-database.ts'
import { usageScopes } from '../src/monitoring/series/usage-counts.ts'
import { UsageRow, usageCells } from '../src/monitoring/series/usage-row.ts'
import { usageColumns } from '../src/monitoring/series/usage-store.ts'
import type { TestApp } from '../tests/support/app.ts'
import { createTestApp } from '../tests/support/app.ts'
import { placeOf } from '../tests/support/fed-monitoring.ts'
import { fillCatalogue } from './many-layers.ts'
import { quantile } from './quantile.ts'

// Lists of layers, page by page, in a catalogue of 10,000: `node bench/layer-list.ts [postgres://...]`.

const layers = 10_000
const rounds = 40
const days = 30

const queries = {
  'first page': '',
  'one letter typed': 'q=a',
  'a word typed': 'q=road+north',
  'a word of a column': 'q=column_77',
  'by requests': 'sort=requests',
  'a filter, from the middle': 'kind=vector&sort=changed&offset=3000&limit=200',
  'whole state': 'state',
}

/** Some requests of every layer on each of the days, as a day of counting leaves them. */
async function feed(server: TestApp): Promise<void> {
  const [app] = await server.services.list()
  const database = await openSeriesDatabase(placeOf(server))
  const names = Array.from({ length: layers }, (_, index) => [1, `default:layer_${index}`])
  await database.insert('monitoring_resources', ['type', 'name'], names)
  const ids = await database.arrays('select id from monitoring_resources')
  await database.insert('monitoring_usage_zones', ['name', 'since'], [['UTC', 0]])
  const [zone] = await database.arrays('select id from monitoring_usage_zones')
  const today = Math.floor(Date.now() / 86_400_000) * 86_400
  for (let day = today - (days - 1) * 86_400; day <= today; day += 86_400) {
    const rows = ids.map(([id = 0], index) => {
      const row = new UsageRow()
      row.cell(usageCells.outsidePeople).requests = 1 + (index % 100)
      return [zone?.[0] ?? 0, usageScopes.resource, day, id, app?.id ?? 0, row.requests, row.encode()]
    })
    await database.insert('monitoring_usage', usageColumns, rows)
  }
  await database.close()
}

async function measure(server: TestApp): Promise<void> {
  for (const [what, query] of Object.entries(queries)) {
    const url = query === 'state' ? '/rest/state' : `/rest/catalogue/layers?${query}`
    const times: number[] = []
    for (let round = 0; round <= rounds; round += 1) {
      const begun = performance.now()
      const reply = await server.app.inject({ url, headers: server.admin })
      times.push(performance.now() - begun)
      if (reply.statusCode !== 200) throw new Error(reply.body)
    }
    const [first = 0, ...others] = times
    const text = [quantile(others, 0.5), quantile(others, 0.95)].map((one) => one.toFixed(1)).join(' / ')
    process.stdout.write(`${what.padEnd(28)} first ${first.toFixed(0)} ms, then p50 / p95 ${text} ms\n`)
  }
}

async function measureChange(server: TestApp): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const layer = await server.catalog.layers.get('default', `layer_${round}`)
    await server.catalog.layers.change(layer, { title: `Changed ${round}` })
    const begun = performance.now()
    await server.app.inject({ url: '/rest/catalogue/layers', headers: server.admin })
    times.push(performance.now() - begun)
  }
  const text = [quantile(times, 0.5), quantile(times, 0.95)].map((one) => one.toFixed(1)).join(' / ')
  process.stdout.write(`${'after a change of one'.padEnd(28)} p50 / p95 ${text} ms\n`)
}

const [url] = process.argv.slice(2)
const server = await createTestApp({
  env: { TERRANE_MONITORING: 'on', ...(url === undefined ? {} : { TERRANE_DATABASE_URL: url }) },
})
try {
  await fillCatalogue(server, layers)
  await feed(server)
  await measure(server)
  await measureChange(server)
} finally {
  await server.close()
}
