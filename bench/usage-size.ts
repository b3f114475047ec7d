import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSeriesDatabase } from '../src/monitoring/series/open-series-database.ts'
import type { SeriesDatabase } from '../src/monitoring/series/series-database.ts'
import { seededRandom } from './random.ts'
import { mixes, writeDay } from './usage-days.ts'

// Bytes of a simulated year of usage: `node bench/usage-size.ts [days=365] [postgres://...]`. Fewer days are scaled up.

async function tableBytes(database: SeriesDatabase, folder: string, table: string): Promise<number> {
  if (database.kind === 'postgres') {
    const [row] = await database.arrays(`select pg_total_relation_size('${table}')`)
    return Number(row?.[0])
  }
  const [row] = await database
    .arrays(`select sum(pgsize) from dbstat where name = '${table}'`)
    .catch(() => [[statSync(join(folder, 'usage.sqlite')).size]])
  return Number(row?.[0])
}

async function measure(name: string, days: number, url: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-usage-'))
  const database = await openSeriesDatabase(
    url === undefined ? { path: join(folder, 'usage.sqlite') } : { url },
  )
  try {
    for (const table of ['monitoring_usage', 'monitoring_demand']) await database.run(`delete from ${table}`)
    if (database.kind === 'postgres') await database.run('vacuum full monitoring_usage, monitoring_demand')
    const draw = seededRandom(1)
    const mix = mixes[name] ?? (() => 0)
    for (let day = 0; day < days; day += 1)
      await database.transaction((inside) => writeDay(inside, day * 86_400, mix, draw))
    const megabytes = async (table: string): Promise<string> => {
      const bytes = await tableBytes(database, folder, table)
      const [row] = await database.arrays(`select count(*), avg(length(cells)) from ${table}`)
      const year = ((bytes / days) * 365) / 1e6
      return `${year.toFixed(0)} MB a year (${row?.[0]} rows, ${Number(row?.[1]).toFixed(0)} bytes of cells each)`
    }
    process.stdout.write(`${database.kind}, ${name}\n  usage  ${await megabytes('monitoring_usage')}\n`)
    process.stdout.write(`  demand ${await megabytes('monitoring_demand')}\n`)
  } finally {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const [days = '365', url] = process.argv.slice(2)
for (const name of Object.keys(mixes)) await measure(name, Number(days), url)
