import type { MonitoringSettings } from '../../core/config/monitoring-settings.ts'
import type { Clock } from '../../core/time/clock.ts'
import { ZoneDays } from '../../core/values/zone-days.ts'
import type { PeriodUsage, ReportGrouping, UsageReportData, UsageReportQuery } from '../query/usage-report.ts'
import type {
  NotKnown,
  ReportAudience,
  ReportComparison,
  ReportLayer,
  ReportRow,
  UnusedLayer,
  UsageReport,
} from './report.ts'
import { overlappingGroupings } from './report.ts'
import { nothingKnown, toBefore, toNumbers } from './report-numbers.ts'
import type { ReportPeriod } from './report-period.ts'
import { dateAt, keyBefore, periodBefore, spanOf, startOfDate } from './report-period.ts'

/** Reads of stored usage that a report needs. */
interface ReportReads {
  usageReport(query: UsageReportQuery): Promise<UsageReportData>
  lastUse(query: { layers: readonly string[] }): Promise<Record<string, number>>
}

/** Settings that a report depends on. */
export type ReportSettings = Pick<MonitoringSettings, 'privacy' | 'limits'>

export interface UsageReportDeps {
  reads: ReportReads
  settings: ReportSettings
  clock: Clock
}

export interface UsageReportRequest {
  period: ReportPeriod
  /** IANA name of the time zone: UTC or `TERRANE_ZONE`. */
  zone: string
  by: ReportGrouping
  compare?: ReportComparison
  audience: ReportAudience
}

/** Returns the time zone whose days are used for counting. */
export function countedZone({ limits }: Pick<ReportSettings, 'limits'>): string {
  return limits.zone ?? 'UTC'
}

/** Creates the report of a period for a reader. */
export async function createUsageReport(
  { reads, settings, clock }: UsageReportDeps,
  request: UsageReportRequest,
): Promise<UsageReport> {
  const { period, zone, by, compare, audience } = request
  const days = new ZoneDays(zone)
  const earlier = compare && periodBefore(period, compare)
  const before = earlier && spanOf(days, earlier)
  const span = spanOf(days, period)
  const data = await reads.usageReport({ ...span, zone, by, before })
  const coverage = coverageOf(data, { ...span, zone, settings, now: clock.now().getTime() / 1000 })
  const isBeforeKnown = before !== undefined && data.since !== undefined && data.since <= before.from
  const known: UsageReportData = { ...data, before: isBeforeKnown ? data.before : undefined }
  const hasVisits = settings.privacy !== 'none'
  const shape: RowShape = { by, compare, period, audience, hasVisits }
  return {
    from: shownDate(period, period.first),
    to: shownDate(period, period.last),
    zone,
    by,
    compare: compare ?? null,
    before: earlier
      ? { from: shownDate(earlier, earlier.first), to: shownDate(earlier, earlier.last) }
      : null,
    since: data.since === undefined ? null : dateAt(days, data.since),
    complete: coverage.isComplete,
    sumsToTotal: !overlappingGroupings.includes(by),
    rows: coverage.isKnown ? toRows(known, shape) : [],
    total: audience.seesAll ? totalOf(known, shape, coverage.isKnown) : null,
    unused: coverage.isKnown ? await findUnused(reads, { by, audience, data }) : [],
    notKnown: [
      ...coverage.notKnown.map((one) => ({ ...one, since: one.since ?? sinceText(days, data.since) })),
      ...(compare !== undefined && !isBeforeKnown && coverage.isKnown
        ? [
            {
              figure: 'before',
              since: sinceText(days, data.since),
              reason: 'The compared period was not counted whole.',
            },
          ]
        : []),
      ...otherUnknowns(data, { settings, isKnown: coverage.isKnown }),
    ],
  }
}

function sinceText(days: ZoneDays, since: number | undefined): string | null {
  return since === undefined ? null : dateAt(days, since)
}

/** Formats a date as a month if the period is given by months. */
function shownDate({ isMonths }: ReportPeriod, date: string): string {
  return isMonths ? date.slice(0, 7) : date
}

interface Coverage {
  isComplete: boolean
  /** False if no day of the period was counted. */
  isKnown: boolean
  notKnown: NotKnown[]
}

function coverageOf(
  { since, until }: UsageReportData,
  {
    from,
    to,
    zone,
    settings,
    now,
  }: { from: number; to: number; zone: string; settings: ReportSettings; now: number },
): Coverage {
  const counted = countedZone(settings)
  if (since === undefined || to <= since) {
    const reason =
      zone === counted || since !== undefined
        ? 'Requests of this period were not counted.'
        : `Requests are counted by days of ${counted}.`
    return { isComplete: false, isKnown: false, notKnown: [{ figure: 'all', since: null, reason }] }
  }
  // Counting in an earlier time zone ended with its last counted day.
  const end = zone === counted ? now : (until ?? now)
  const notKnown: NotKnown[] = []
  if (from < since)
    notKnown.push({ figure: 'all', since: null, reason: 'Days before this one were not counted.' })
  if (zone !== counted && to > end)
    notKnown.push({ figure: 'all', since: null, reason: `Later requests are counted by days of ${counted}.` })
  return { isComplete: from >= since && to <= end, isKnown: true, notKnown }
}

function otherUnknowns(
  { total }: UsageReportData,
  { settings, isKnown }: { settings: ReportSettings; isKnown: boolean },
): NotKnown[] {
  const unknown: NotKnown[] = []
  if (settings.privacy === 'none')
    unknown.push({
      figure: 'visits',
      since: null,
      reason: 'TERRANE_PRIVACY=none: visitors are not told apart.',
    })
  if (isKnown && total.hits > 0 && total.p50 === null)
    unknown.push({ figure: 'p50, p95, p99', since: null, reason: 'The log has no response times.' })
  return unknown
}

interface RowShape extends Pick<UsageReportRequest, 'by' | 'compare' | 'period' | 'audience'> {
  hasVisits: boolean
}

function totalOf(data: UsageReportData, { compare, hasVisits }: RowShape, isKnown: boolean) {
  const before = compare === undefined ? undefined : toBefore(data.before?.total, hasVisits)
  return isKnown ? { ...toNumbers(data.total, hasVisits), before } : { ...nothingKnown(), before }
}

/**
 * Returns the rows of the period by descending number of requests; days and months in chronological order.
 */
function toRows(data: UsageReportData, shape: RowShape): ReportRow[] {
  const { by, compare, period, audience, hasVisits } = shape
  const earlier = new Map(data.before?.rows.map(({ key, figures }) => [key, figures]))
  const isVisible = (key: string): boolean => by !== 'layer' || audience.seesAll || audience.layers.has(key)
  const isTime = by === 'day' || by === 'month'
  const rows: ReportRow[] = data.rows
    .filter(({ key }) => isVisible(key))
    .map((row) => {
      const past =
        compare === undefined
          ? undefined
          : earlier.get(isTime ? keyBefore(row.key, period, compare) : row.key)
      const before = compare === undefined ? undefined : toBefore(past, hasVisits, data.before !== undefined)
      return {
        ...namesOf(row.key, by, audience.layers, row.owner),
        ...toNumbers(row.figures, hasVisits),
        before,
      }
    })
  if (!isTime) rows.push(...onlyBefore(data, shape).filter(({ key }) => isVisible(key)))
  return rows.sort(
    isTime
      ? (a, b) => (a.key < b.key ? -1 : 1)
      : (a, b) => (b.hits ?? 0) - (a.hits ?? 0) || (a.key < b.key ? -1 : 1),
  )
}

/**
 * Returns rows for keys that were used only in the compared period; without them the compared figures would
 * not add up.
 */
function onlyBefore(
  { rows, before }: { rows: PeriodUsage['rows']; before?: PeriodUsage },
  shape: RowShape,
): ReportRow[] {
  const present = new Set(rows.map(({ key }) => key))
  return (before?.rows ?? [])
    .filter(({ key }) => !present.has(key))
    .map(({ key, owner, figures }) => ({
      ...namesOf(key, shape.by, shape.audience.layers, owner),
      ...toNumbers(undefined, shape.hasVisits),
      before: toBefore(figures, shape.hasVisits),
    }))
}

function namesOf(
  key: string,
  by: ReportGrouping,
  layers: ReadonlyMap<string, ReportLayer>,
  owner: string | undefined,
): Pick<ReportRow, 'key' | 'href' | 'title' | 'owner'> {
  if (by === 'layer') {
    const layer = layers.get(key)
    const href = layer === undefined ? null : `/rest/layers/${encodeURIComponent(key)}`
    return { key, href, title: layer?.title ?? null, owner: layer?.owner ?? owner ?? null }
  }
  const hasWorkspace = by === 'workspace' && [...layers.keys()].some((name) => name.startsWith(`${key}:`))
  const href = hasWorkspace ? `/rest/workspaces/${encodeURIComponent(key)}` : null
  return { key, href, title: null, owner: by === 'owner' ? key : null }
}

/**
 * Returns layers that the reader may see and that had no requests in the period; only for a report by layer.
 */
async function findUnused(
  reads: ReportReads,
  { by, audience, data }: { by: ReportGrouping; audience: ReportAudience; data: PeriodUsage },
): Promise<UnusedLayer[]> {
  if (by !== 'layer') return []
  const used = new Set(data.rows.map(({ key }) => key))
  const unused = [...audience.layers.values()].filter(({ key }) => !used.has(key))
  if (unused.length === 0) return []
  const lastUse = await reads.lastUse({ layers: unused.map(({ key }) => key) })
  return unused
    .map(({ key, title, rows, sizeBytes }) => {
      const last = lastUse[key]
      return {
        key,
        title,
        lastUse: last === undefined ? null : new Date(last * 1000).toISOString(),
        rows: rows ?? null,
        sizeBytes: sizeBytes ?? null,
      }
    })
    .sort((a, b) =>
      (a.lastUse ?? '') < (b.lastUse ?? '')
        ? -1
        : (a.lastUse ?? '') > (b.lastUse ?? '')
          ? 1
          : a.key < b.key
            ? -1
            : 1,
    )
}

/** Returns the last whole month before a time. */
export function lastMonth(days: ZoneDays, seconds: number): ReportPeriod {
  const thisMonth = startOfDate(days, `${dateAt(days, seconds).slice(0, 7)}-01`)
  const last = dateAt(days, thisMonth - 1)
  return { first: `${last.slice(0, 7)}-01`, last, isMonths: true }
}
