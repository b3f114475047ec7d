import type { MetricFacts } from '../metric.ts'

/** Counts requests by a label. */
export interface LabelMetric extends MetricFacts {
  takenFrom: 'labels'
  /** Returns the label of each request; null for requests without one. */
  label(requests: RequestColumns): RequestColumn<string | number | null>
  /** True if requests without a label are excluded; otherwise they count as `(none)`. */
  isPartial: boolean
  /**
   * Returns the users of the labels, if labels identify users; such a metric has as many labels as there are
   * stored visitors.
   */
  user?(requests: RequestColumns): RequestColumn<string | null>
  /** True if labels are client addresses, which are stored according to the privacy setting. */
  isAddress: boolean
}

/** Adds up a number of each request, or computes its mean. */
export interface NumberMetric extends MetricFacts {
  takenFrom: 'numbers'
  /** Returns the value of each request; NaN for excluded requests. */
  number(requests: RequestColumns): Float64Array
  /** True if p50, p95 and p99 are reported too. */
  hasQuantiles: boolean
}

/** A metric that is not computed: only imported dumps of older systems contain values. */
export interface LoadedMetric extends MetricFacts {
  takenFrom: 'dumps'
}

/** A metric of applications and map servers. */
export type RequestMetric = LabelMetric | NumberMetric | LoadedMetric

type Own<M, Defaulted extends keyof M> = Omit<M, 'takenFrom' | Defaulted> & Partial<Pick<M, Defaulted>>

/** Defines a metric that counts by label: type `value` and unit `Count` by default. */
export function labelMetric(
  metric: Own<LabelMetric, 'type' | 'unit' | 'isLabelled' | 'isPartial' | 'isAddress'>,
): LabelMetric {
  const usual = { type: 'value', unit: 'Count', isPartial: false, isAddress: false } as const
  return { ...usual, ...metric, takenFrom: 'labels', isLabelled: true }
}

/** Defines a metric that adds up a number of each request, or computes its mean. */
export function numberMetric(metric: Own<NumberMetric, 'isLabelled' | 'hasQuantiles'>): NumberMetric {
  return { hasQuantiles: false, ...metric, takenFrom: 'numbers', isLabelled: false }
}

/** One column of requests: each request has the index of its value. */
export interface RequestColumn<T> {
  values: T[]
  /** Undefined if all requests have the first value. */
  indexes: Uint8Array | Uint16Array | Uint32Array | undefined
}

/** Text properties of a request; null if unknown. */
export type TextColumn =
  | ('method' | 'path' | 'userAgent' | 'userAgentFamily' | 'clientIp')
  | ('country' | 'region' | 'city' | 'visitor' | 'userName')
  | ('errorType' | 'host' | 'contentType')

/** Input of request metrics: requests of a service in one minute, as columns. */
export interface RequestColumns {
  count: number
  sizes: Float64Array
  /** Response time; NaN if unknown. */
  milliseconds: Float64Array
  /** Time until the first byte of the response; NaN if unknown. */
  firstByteMilliseconds: Float64Array
  statuses: RequestColumn<number>
  texts: Readonly<Record<TextColumn, RequestColumn<string | null>>>
}
