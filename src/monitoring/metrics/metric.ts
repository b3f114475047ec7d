/** Fields common to all metrics. */
export interface MetricFacts {
  /** Id in the series; never reassigned. */
  id: number
  /** Name in the API: lower case, with dots between its parts. */
  name: string
  /** Aggregation of stored rows: `count` and `value` are summed, `rate` is the mean weighted by samples. */
  type: 'count' | 'value' | 'rate'
  unit: string
  /** Description in alerts. */
  description: string
  /** True if a period has one row per label; otherwise it has one row with the default label. */
  isLabelled: boolean
}

/** Returns the label of rows of a metric without labels. */
export function defaultLabel({ type }: Pick<MetricFacts, 'type'>): string {
  return type === 'count' ? 'count' : 'value'
}

/** Label for labels beyond the limit. */
export const otherLabel = '(other)'
/** Label of requests without a value, so that each split adds up to its metric. */
export const noneLabel = '(none)'
