import type { MetricFacts } from '../metric.ts'
import type { Column, RequestColumns } from '../request-columns.ts'

/** Counts requests by a label. */
export interface LabelMetric extends MetricFacts {
  takenFrom: 'labels'
  /** The label of each request; null for one that lacks it. */
  label(requests: RequestColumns): Column<string | number | null>
  /** Whether requests without a label have no part in it; otherwise they count as `(none)`. */
  isPartial: boolean
  /** The user behind the label, where it tells users; such a metric has as many labels as visitors are kept. */
  user?(requests: RequestColumns): Column<string | null>
  /** Whether labels are addresses of clients, of which no more is kept than the settings say. */
  isAddress: boolean
}

/** Adds up a number that requests have, or takes its mean. */
export interface NumberMetric extends MetricFacts {
  takenFrom: 'numbers'
  /** The number of each request; not a number for one that has no part in it. */
  number(requests: RequestColumns): Float64Array
  /** Whether p50, p95 and p99 are told too. */
  hasQuantiles: boolean
}

/** Nothing counts it here: loaded dumps of the older system have values of it. */
export interface LoadedMetric extends MetricFacts {
  takenFrom: 'dumps'
}

/** A metric of applications and map servers. */
export type RequestMetric = LabelMetric | NumberMetric | LoadedMetric

type Own<M, Defaulted extends keyof M> = Omit<M, 'takenFrom' | Defaulted> & Partial<Pick<M, Defaulted>>

/** Describes a metric that counts by a label: its type is `value` and its unit `Count`, where nothing else is said. */
export function labelMetric(
  metric: Own<LabelMetric, 'type' | 'unit' | 'isLabelled' | 'isPartial' | 'isAddress'>,
): LabelMetric {
  const usual = { type: 'value', unit: 'Count', isPartial: false, isAddress: false } as const
  return { ...usual, ...metric, takenFrom: 'labels', isLabelled: true }
}

/** Describes a metric that adds up a number of requests, or takes its mean. */
export function numberMetric(metric: Own<NumberMetric, 'isLabelled' | 'hasQuantiles'>): NumberMetric {
  return { hasQuantiles: false, ...metric, takenFrom: 'numbers', isLabelled: false }
}
