import { ZoneDays } from '../../core/values/zone-days.ts'
import type { SeriesDatabase } from '../series/series-database.ts'
import type { UsageScope } from '../series/usage-counts.ts'
import { countAtMost } from './answer-size.ts'
import { readLabelNames, readResources } from './names.ts'
import { findZone, readUsagePeriod, type UsageSpan } from './read-usage-period.ts'
import type { SeriesReadLimits } from './reads.ts'
import { HeavyRead } from './reads.ts'
import type { UsageFigures } from './usage-sum.ts'
import { UsageSum } from './usage-sum.ts'

/** Groupings of a report. */
export const reportGroupings = [
  'layer',
  'workspace',
  'owner',
  'country',
  'program',
  'referrer',
  'day',
  'month',
] as const
/** One of `reportGroupings`. */
export type ReportGrouping = (typeof reportGroupings)[number]

const scopeOf: Record<ReportGrouping, UsageScope> = {
  layer: 'resource',
  workspace: 'workspace',
  owner: 'owner',
  country: 'country',
  program: 'program',
  referrer: 'referrer',
  day: 'all',
  month: 'all',
}

/** Query for the usage of two periods of the same length. */
export interface UsageReportQuery extends UsageSpan {
  /** IANA name of the time zone. */
  zone: string
  by: ReportGrouping
  /** Period to compare with. */
  before?: UsageSpan
}

/** Figures of one key, such as a layer or a day. */
interface UsageReportRow {
  key: string
  /** Owner of the layer at its newest request. */
  owner?: string
  figures: UsageFigures
}

/** The usage of one period. */
export interface PeriodUsage {
  rows: UsageReportRow[]
  total: UsageFigures
}

/** Usage of a zone's days. */
export interface UsageReportData extends PeriodUsage {
  /** First counted day of the zone and the newest one, in seconds since 1970; undefined if nothing was counted. */
  since?: number
  until?: number
  before?: PeriodUsage
}

/** Reads the usage of a period by a grouping, and of the compared period if requested. Throws `HeavyRead`. */
export async function readUsageReport(
  database: SeriesDatabase,
  { zone, by, before, from, to }: UsageReportQuery,
  limits: SeriesReadLimits,
): Promise<UsageReportData> {
  const known = await findZone(database, zone)
  if (known === undefined) return { rows: [], total: new UsageSum().figures() }
  const { id: zoneId, since, until } = known
  await refuseHeavy(database, { zoneId, from: Math.min(from, before?.from ?? from), to }, limits)
  const read = (span: UsageSpan) => readPeriod(database, { zoneId, zone, by, ...span })
  const data = await read({ from, to })
  return { ...data, since, until, before: before && (await read(before)) }
}

async function refuseHeavy(
  database: SeriesDatabase,
  { zoneId, from, to }: UsageSpan & { zoneId: number },
  { isLight, rowsPerRead }: SeriesReadLimits,
): Promise<void> {
  if (!isLight) return
  const stored = `select 1 from monitoring_usage u where u.zone_id = ${zoneId} and u.day >= ${from} and u.day < ${to}`
  if ((await countAtMost(database, stored, rowsPerRead)) > rowsPerRead) throw new HeavyRead()
}

async function readPeriod(
  database: SeriesDatabase,
  query: UsageSpan & { zoneId: number; zone: string; by: ReportGrouping },
): Promise<PeriodUsage> {
  const { by, zone } = query
  const total = new UsageSum()
  const dates = by === 'day' || by === 'month' ? new DateKeys(zone, by) : undefined
  const sums = new Map<number | string, KeySum>()
  const sumOf = (key: number | string): KeySum => {
    const sum = sums.get(key) ?? { sum: new UsageSum(), ownerId: 0, ownerAt: 0 }
    sums.set(key, sum)
    return sum
  }
  const noteOwner = (found: KeySum, ownerId: number, at: number): void => {
    if (ownerId === 0 || at < found.ownerAt) return
    found.ownerId = ownerId
    found.ownerAt = at
  }
  await readUsagePeriod(
    database,
    { ...query, scope: scopeOf[by] },
    {
      add: ({ keyId, start, row }) => {
        const found = sumOf(dates?.keyOf(start) ?? keyId)
        found.sum.add(row, start)
        noteOwner(found, row.ownerId, start + row.lastUse)
      },
      addStored: ({ keyId, start, cells }) => {
        const found = sumOf(dates?.keyOf(start) ?? keyId)
        const { ownerId, lastUse } = found.sum.addStored(cells, start)
        noteOwner(found, ownerId, start + lastUse)
      },
      takeOff: ({ keyId, start, row }) => sumOf(dates?.keyOf(start) ?? keyId).sum.takeOff(row),
    },
  )
  await readUsagePeriod(
    database,
    { ...query, scope: 'all' },
    {
      add: ({ start, row }) => total.add(row, start),
      addStored: ({ start, cells }) => void total.addStored(cells, start),
      takeOff: ({ row }) => total.takeOff(row),
    },
  )
  return { rows: await namedRows(database, by, sums), total: total.figures() }
}

interface KeySum {
  sum: UsageSum
  ownerId: number
  /** Time of the request from which the owner is known. */
  ownerAt: number
}

async function namedRows(
  database: SeriesDatabase,
  by: ReportGrouping,
  sums: ReadonlyMap<number | string, KeySum>,
): Promise<UsageReportRow[]> {
  const ids = [...sums.keys()].filter((key) => typeof key === 'number')
  if (by === 'layer') {
    const resources = await readResources(database, ids)
    const owners = await readLabelNames(database, [
      ...new Set([...sums.values()].map(({ ownerId }) => ownerId)),
    ])
    return [...sums].flatMap(([key, { sum, ownerId }]) => {
      const found = resources.get(Number(key))
      if (found?.type !== 'layer') return []
      return [{ key: found.name, owner: owners.get(ownerId)?.name, figures: sum.figures() }]
    })
  }
  const labels = await readLabelNames(database, ids)
  return [...sums].map(([key, { sum }]) => ({
    key: typeof key === 'string' ? key : (labels.get(key)?.name ?? ''),
    figures: sum.figures(),
  }))
}

/** Converts days to keys such as `2026-10-05` or `2026-10`. */
class DateKeys {
  readonly #days: ZoneDays
  readonly #length: number
  readonly #known = new Map<number, string>()

  constructor(zone: string, by: 'day' | 'month') {
    this.#days = new ZoneDays(zone)
    this.#length = by === 'day' ? 10 : 7
  }

  keyOf(start: number): string {
    const known = this.#known.get(start)
    if (known !== undefined) return known
    const date = new Date(this.#days.dateNumber(start) * 86_400_000).toISOString().slice(0, this.#length)
    this.#known.set(start, date)
    return date
  }
}
