/** Fields common to all metrics. */
export interface MetricFacts {
  /** In the series; never given to another metric. */
  id: number
  /** Name in the API: lower case, with dots between its parts. */
  name: string
  /** Aggregation of stored rows: `count` and `value` are summed, `rate` is the mean weighted by samples. */
  type: 'count' | 'value' | 'rate'
  unit: string
  /** Name in alerts. */
  description: string
  /** True if a period has one row per label; otherwise it has one row with the default label. */
  isLabelled: boolean
}

/** The label of rows that nothing splits. */
export function defaultLabel({ type }: Pick<MetricFacts, 'type'>): string {
  return type === 'count' ? 'count' : 'value'
}

/** Label for labels beyond the limit. */
export const otherLabel = '(other)'
/** Label of requests without a value, so that each split adds up to its metric. */
export const noneLabel = '(none)'
