import { isHostMetric } from '../metrics/metrics.ts'
import { resolutions } from '../series/schema.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import type { ResolvedQuery, Source } from './series-sql.ts'
import { integers, seriesCondition } from './series-sql.ts'
import type { PeriodRange, PeriodStretch, Watermarks } from './stretches.ts'
import { chooseStretches, splitStretches } from './stretches.ts'

/** Adjacent periods of the result that are computed from the same sources. */
export interface RowPart {
  sources: Source[]
  /** True if each stored row is a row of the result. */
  isUnique: boolean
  /** SQL of the counted values; absent if nothing is counted, or if stored counts are exact. */
  distinct?: string
  /** Sources of distinct counts, if the amounts come from totals over labels. */
  countedSources?: Source[]
}

/** Sources of a query's result. */
export interface RowPlan {
  query: ResolvedQuery
  range: PeriodRange
  /** Parts of the window; no period has rows in two parts. */
  parts: RowPart[]
}

/** Facts about the stored series that a plan depends on. */
export interface PlanFacts {
  /** Number of services that have series of the query, without imported ones. */
  services: number
  hasLoads: boolean
  state: ReadonlyMap<string, number>
}

export async function planRowTable(
  database: SeriesDatabase,
  query: ResolvedQuery,
  range: PeriodRange,
): Promise<RowPlan> {
  return planPeriods(await readPlanFacts(database, query), query, range)
}

/** Plans how the periods of `range` are read. */
export function planPeriods(found: PlanFacts, query: ResolvedQuery, range: PeriodRange): RowPlan {
  if (found.services === 0 && !found.hasLoads) return { query, range, parts: [] }
  const { state } = found
  const stretches = chooseStretches(range, watermarksIn(state))
  const isSingle = found.services === 1 && !found.hasLoads
  const parts = found.hasLoads ? [stretches] : splitStretches(stretches, range)
  const loaded = found.hasLoads ? loadedSources(range) : []
  const planned = { query, range, isSingle, loaded, hasNobody: state.get('has_nobody') === 1 }
  return { query, range, parts: parts.map((part) => planPart(planned, part)) }
}

interface Planned {
  query: ResolvedQuery
  range: PeriodRange
  /** True if one service and no import has rows. */
  isSingle: boolean
  loaded: readonly Source[]
  /** True if sums over visitors may include requests without a visitor. */
  hasNobody: boolean
}

function planPart(
  { query, range, isSingle, loaded, hasNobody }: Planned,
  stretches: readonly PeriodStretch[],
): RowPart {
  const sourcesOf = (isTotal: boolean): Source[] => [
    ...stretches.map((one) => ({ ...one, isLoaded: false, isTotal })),
    ...loaded,
  ]
  const { value, isOfUsers } = query.shape
  // True if each stored row is a row of the result, apart from its label and resource.
  const isAlone = isSingle && stretches.every(({ resolution }) => resolution >= range.intervalSeconds)
  const hasSums = hasTotals(query) && !(isOfUsers && hasNobody)
  const hasOneRow = hasSums || !hasSeveralLabels(query)
  const isStored = isAlone && (value === 'resources' ? hasOneRow : hasSums)
  const distinct = isStored ? undefined : distinctSql(query)
  const isTotal = hasSums && !(distinct !== undefined && isOfUsers)
  return {
    sources: sourcesOf(isTotal),
    isUnique: isAlone && hasOneRow && value !== 'resources',
    distinct,
    countedSources: distinct !== undefined && isTotal && value !== 'resources' ? sourcesOf(false) : undefined,
  }
}

export async function readPlanFacts(database: SeriesDatabase, query: ResolvedQuery): Promise<PlanFacts> {
  const count = async (isLoaded: boolean): Promise<number> => {
    const where = seriesCondition(query, { isLoaded, isTotal: false })
    const sql = `select count(distinct s.service_id) from monitoring_series s where ${where}`
    return Number((await database.arrays(sql))[0]?.[0] ?? 0)
  }
  const services = await count(false)
  const hasLoads = (await count(true)) > 0
  return { services, hasLoads, state: await readState(database) }
}

export async function readWatermarks(database: SeriesDatabase): Promise<Watermarks> {
  return watermarksIn(await readState(database))
}

async function readState(database: SeriesDatabase): Promise<ReadonlyMap<string, number>> {
  const rows = await database.arrays('select name, value from monitoring_state')
  return new Map(rows.map(([name, value]) => [String(name), Number(value)]))
}

function watermarksIn(marks: ReadonlyMap<string, number>): Watermarks {
  return {
    hoursRolledBefore: marks.get('hours_rolled_before') ?? 0,
    daysRolledBefore: marks.get('days_rolled_before') ?? 0,
    minutesKeptFrom: marks.get('minutes_kept_from') ?? 0,
    hoursKeptFrom: marks.get('hours_kept_from') ?? 0,
  }
}

/** Returns the sources of imported series, each of which is in one of the three tables. */
function loadedSources({ from, to }: PeriodRange): Source[] {
  return resolutions.map((resolution) => ({ resolution, from, to, isLoaded: true, isTotal: false }))
}

/** True if totals over labels are sufficient. */
function hasTotals({ metric, shape, labelId, user }: ResolvedQuery): boolean {
  const needsLabels = shape.keys.includes('label') || shape.keys.includes('user')
  return (
    metric.isLabelled && !isHostMetric(metric) && !needsLabels && labelId === undefined && user === undefined
  )
}

/** True if rows of several labels belong to one row of the result. */
function hasSeveralLabels({ metric, shape, labelId }: ResolvedQuery): boolean {
  return metric.isLabelled && !shape.keys.includes('label') && labelId === undefined
}

/** Returns SQL of the counted values; undefined if nothing is counted. */
function distinctSql({ shape, uncountedIds = [] }: ResolvedQuery): string | undefined {
  if (shape.value === 'resources') return 's.resource_id'
  if (shape.value === 'users') return 'l.user_name'
  if (shape.value !== 'labels') return undefined
  return uncountedIds.length === 0
    ? 'v.label_id'
    : `case when v.label_id in (${integers(uncountedIds)}) then null else v.label_id end`
}
