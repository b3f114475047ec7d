import type { ReportGrouping } from '../query/usage-report.ts'
import type { UsageFigures } from '../query/usage-sum.ts'

/** Periods that a report may be compared with. */
export const reportComparisons = ['previous', 'year'] as const
/** One of `reportComparisons`. */
export type ReportComparison = (typeof reportComparisons)[number]

/** Groupings in which a request may count in several rows, so that rows do not add up to the total. */
export const overlappingGroupings: readonly ReportGrouping[] = ['layer', 'workspace', 'owner']

/** A layer that the reader of a report may see. */
export interface ReportLayer {
  /** Qualified name, `workspace:name`. */
  key: string
  title: string
  owner?: string
  doi?: string
  /** Number of features; undefined if it is not known. */
  rows?: number
  sizeBytes?: number
}

/** Layers that the reader of a report may see. */
export interface ReportAudience {
  /** True if the reader may see all layers, and therefore totals. */
  seesAll: boolean
  layers: ReadonlyMap<string, ReportLayer>
}

/** Figures of the compared period; null if unknown. */
export interface FiguresBefore {
  hits: number
  downloads: number
  visits: number | null
}

/** Numbers of a row or of the total; null if a figure was not collected. */
export interface ReportNumbers {
  hits: number | null
  people: { hits: number | null; visits: number | null }
  robots: number | null
  outside: { hits: number | null; visits: number | null }
  named: number | null
  anonymous: number | null
  events: Record<keyof UsageFigures['events'], number | null>
  errors: number | null
  errorShare: number | null
  p50: number | null
  p95: number | null
  p99: number | null
  bytes: number | null
  /** ISO 8601. */
  lastUse: string | null
  /** Absent without a comparison. */
  before?: FiguresBefore | null
}

export interface ReportRow extends ReportNumbers {
  key: string
  /** Path of the row's object below the base path; null if the server has no such object. */
  href: string | null
  title: string | null
  owner: string | null
}

/** A layer without requests in the period. */
export interface UnusedLayer {
  key: string
  title: string
  /** ISO 8601; null if no use is known. */
  lastUse: string | null
  rows: number | null
  sizeBytes: number | null
}

/** A figure that was not collected. */
export interface NotKnown {
  /** Name of the figure; `all` for every figure. */
  figure: string
  /** First day with it; null if it is not collected. */
  since: string | null
  reason: string
}

/** The usage of a period. */
export interface UsageReport {
  /** First and last day or month. */
  from: string
  to: string
  zone: string
  by: ReportGrouping
  compare: ReportComparison | null
  /** The compared period. */
  before: { from: string; to: string } | null
  /** First day of the zone with counted requests; null if there is none. */
  since: string | null
  /** True if every day of the period has been counted and has ended. */
  complete: boolean
  /** False if a request may count in several rows. */
  sumsToTotal: boolean
  rows: ReportRow[]
  /** Null if the reader may not see all layers. */
  total: ReportNumbers | null
  unused: UnusedLayer[]
  notKnown: NotKnown[]
}
