import { OtherSketch } from '../series/other-sketch.ts'
import { QuantileSketch } from '../series/quantile-sketch.ts'
import type { SeriesDatabase, SqlValue } from '../series/series-database.ts'
import { readLabelNames } from './names.ts'
import type { RowPlan } from './row-plan.ts'
import type { RowTable } from './row-table.ts'
import type { Source } from './series-sql.ts'
import { integers, rowsSql } from './series-sql.ts'

/** Reported quantiles. */
const quantileShares = [0.5, 0.95, 0.99] as const
export type Quantiles = [p50: number, p95: number, p99: number]

/** Reads the quantiles by row. */
export async function readQuantiles(
  database: SeriesDatabase,
  plan: RowPlan,
  table: RowTable,
): Promise<Map<number, Quantiles>> {
  const sketches = new Map<number, QuantileSketch>()
  for (const [period, key, innerKey, bytes] of await database.arrays(
    unionOf(database, plan, {
      sources: plan.parts.flatMap((part) => part.sources),
      value: 'v.sketch',
      condition: 'v.sketch is not null',
    }),
  )) {
    const row = table.find(Number(period), Number(key), Number(innerKey))
    if (row === undefined || !(bytes instanceof Uint8Array)) continue
    const sketch = QuantileSketch.decode(bytes)
    const known = sketches.get(row)
    if (known === undefined) sketches.set(row, sketch)
    else known.merge(sketch)
  }
  const quantiles = new Map<number, Quantiles>()
  for (const [row, sketch] of sketches) {
    const [p50 = 0, p95 = 0, p99 = 0] = sketch.quantiles(quantileShares)
    quantiles.set(row, [p50, p95, p99])
  }
  return quantiles
}

/**
 * Corrects the distinct count of labels or users in rows that include `(other)`: some of its labels may have
 * rows of their own at other times.
 */
export async function countOthers(database: SeriesDatabase, plan: RowPlan, table: RowTable): Promise<void> {
  const { otherId, shape } = plan.query
  if (otherId === undefined || shape.value === 'resources') return
  const sources = countedSources(plan)
  if (sources.length === 0) return
  const isOfUsers = shape.value === 'users'
  const sketches = new Map<number, OtherSketch>()
  const others = unionOf(database, plan, {
    sources,
    value: 'v.sketch',
    condition: `v.label_id = ${otherId} and v.sketch is not null`,
  })
  for (const [period, key, , bytes] of await database.arrays(others)) {
    const row = table.find(Number(period), Number(key), 0)
    if (row === undefined || !(bytes instanceof Uint8Array)) continue
    const sketch = OtherSketch.decode(bytes)
    const known = sketches.get(row)
    if (known === undefined) sketches.set(row, sketch)
    else known.merge(sketch)
  }
  if (sketches.size === 0) return
  for await (const [row, name] of namesBeside(database, plan, table, [...sketches.keys()])) {
    const sketch = sketches.get(row)
    if (isOfUsers) sketch?.users.add(name)
    else sketch?.labels.add(name)
  }
  for (const [row, sketch] of sketches)
    table.set(row, 'extra', (isOfUsers ? sketch.users : sketch.labels).estimate())
}

/**
 * Yields the labels with rows of their own beside `(other)`, as pairs of row and name; each at least once.
 */
async function* namesBeside(
  database: SeriesDatabase,
  plan: RowPlan,
  table: RowTable,
  rows: number[],
): AsyncGenerator<[row: number, name: string]> {
  const periods = [...new Set(rows.map((row) => table.get(row, 'period')))]
  const thing = plan.query.shape.value === 'users' ? 'l.user_name' : 'v.label_id'
  const condition = `v.label_id not in (${integers(plan.query.uncountedIds ?? [])})`
  const sources = countedSources(plan)
  const inside = unionOf(database, plan, { sources, value: `${thing} as thing`, condition })
  const found = await database.arrays(
    `select distinct "period", "key", thing from (${inside}) r where "period" in (${integers(periods)})`,
  )
  const names = thing === 'v.label_id' ? await labelNames(database, found) : undefined
  for (const [period, key, value] of found) {
    const row = table.find(Number(period), Number(key), 0)
    const name = names === undefined ? value : names.get(Number(value))
    if (row !== undefined && typeof name === 'string') yield [row, name]
  }
}

async function labelNames(database: SeriesDatabase, rows: SqlValue[][]): Promise<Map<number, string>> {
  const ids = [...new Set(rows.map((row) => Number(row[2])))]
  return new Map([...(await readLabelNames(database, ids))].map(([id, { name }]) => [id, name]))
}

function countedSources({ parts }: RowPlan): Source[] {
  return parts.flatMap((part) => (part.distinct === undefined ? [] : (part.countedSources ?? part.sources)))
}

function unionOf(
  database: SeriesDatabase,
  { query, range }: RowPlan,
  { sources, value, condition }: { sources: readonly Source[]; value: string; condition: string },
): string {
  const selects = sources.map((source) => {
    const { select, from, where } = rowsSql(database, query, source, range)
    return `select ${select}, ${value} from ${from} where ${where} and ${condition}`
  })
  return selects.join(' union all ')
}
