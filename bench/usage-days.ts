import { DemandRow } from '../src/monitoring/series/demand-row.ts'
import { CounterUse } from '../src/monitoring/series/double-clicks.ts'
import type { SeriesDatabase, SqlValue } from '../src/monitoring/series/series-database.ts'
import { toTimeUnits } from '../src/monitoring/series/time-tally.ts'
import type { UsageScope } from '../src/monitoring/series/usage-counts.ts'
import { usageScopes } from '../src/monitoring/series/usage-counts.ts'
import { UsageRow } from '../src/monitoring/series/usage-row.ts'
import { demandColumns, usageColumns } from '../src/monitoring/series/usage-store.ts'

/** Layers of a simulated catalogue. */
export const layerCount = 1000
const demandCells = 128
const workspaces = 20
const labels = { country: 25, program: 15, referrer: 30, owner: 20 }
const classes = ['tiles', 'tiles', 'tiles', 'maps', 'features', 'metadata', 'downloads'] as const

/** Requests of each layer a day. */
export const mixes: Record<string, (rank: number) => number> = {
  'every layer 300 requests a day': () => 300,
  'Zipf, 20,000 requests a day': (rank) => 2670 / (rank + 1),
}

type Draw = () => number

function normal(draw: Draw): number {
  return Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
}

/**
 * Each layer has visitors of its own. Each visitor uses it for some minutes, at positions near to each other.
 */
function makeDay(requests: number, draw: Draw, scope: UsageScope): { row: UsageRow; demand: DemandRow } {
  const row = new UsageRow({ hasCommonTimes: scope !== 'all' && scope !== 'resource' })
  const demand = new DemandRow()
  if (scope === 'resource') row.counter = { regular: new CounterUse(), machine: new CounterUse() }
  const visitors = Math.max(1, Math.round(requests / (3 + draw() * 20)))
  const home = Math.floor(draw() * 65_536)
  for (let left = requests; left > 0; left -= 1) {
    const visitor = Math.floor(draw() * visitors)
    const cell = row.cell(visitor % 13 === 0 ? 3 : visitor % 3 === 0 ? 0 : 1)
    const time = toTimeUnits(Math.exp(3 + normal(draw)))
    cell.requests += 1
    cell.bytes += Math.floor(Math.exp(9 + normal(draw)))
    if (draw() < 0.99) cell.delivered += 1
    cell.times.total.add(time)
    cell.times.firstByte.add(Math.floor(time * (0.4 + draw() * 0.6)))
    cell.visitors.add(visitor * 1e9 + Math.floor(home * 17))
    const name = classes[Math.floor(draw() * classes.length)] ?? 'tiles'
    row.classCount(name).requests += 1
    row.classCount(name).delivered += 1
    row.lastUse = Math.max(row.lastUse, Math.floor(draw() * 86_400))
    const access = visitor % 10 === 0 ? 'machine' : 'regular'
    row.counter?.[access].add(visitor, Math.floor((visitor / visitors) * 80_000 + draw() * 900), draw() < 0.2)
    const spread = (): number => Math.round(normal(draw) * 6)
    demand.add([(((home + spread() * 256 + spread()) % 65_536) + 65_536) % 65_536], visitor)
  }
  row.close()
  demand.close(demandCells)
  return { row, demand }
}

/** Writes a closed day of usage and demand of all layers and labels. */
export async function writeDay(
  database: SeriesDatabase,
  day: number,
  mix: (rank: number) => number,
  draw: Draw,
) {
  const usage: SqlValue[][] = []
  const demand: SqlValue[][] = []
  const add = (scope: UsageScope, key: number, row: UsageRow): void => {
    usage.push([1, day, usageScopes[scope], key, 2, row.requests, row.encode()])
  }
  let all = 0
  for (let rank = 0; rank < layerCount; rank += 1) {
    const expected = mix(rank)
    const requests = expected > 30 ? Math.round(expected) : poisson(expected, draw)
    all += requests
    if (requests === 0) continue
    const made = makeDay(requests, draw, 'resource')
    add('resource', rank + 1, made.row)
    demand.push([1, day, rank + 1, 2, made.demand.encode()])
  }
  add('all', 0, makeDay(Math.min(all, 20_000), draw, 'all').row)
  const others = { ...labels, workspace: workspaces }
  for (const [scope, count] of Object.entries(others) as [UsageScope, number][])
    for (let at = 0; at < count; at += 1)
      add(
        scope,
        1000 + at,
        makeDay(Math.max(1, Math.round(Math.min(all, 20_000) / 4 / (at + 1))), draw, scope).row,
      )
  await database.insert('monitoring_usage', usageColumns, usage)
  await database.insert('monitoring_demand', demandColumns, demand)
}

function poisson(mean: number, draw: Draw): number {
  let [count, left] = [0, Math.exp(-mean)]
  for (let product = draw(); product > left; product *= draw()) count += 1
  left = count
  return left
}
