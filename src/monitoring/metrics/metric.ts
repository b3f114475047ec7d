/** What every metric tells of itself. */
export interface MetricFacts {
  /** In the series; never given to another metric. */
  id: number
  /** Where clients ask for it: lower case, with dots between its parts. */
  name: string
  /** How stored rows become one value: `count` and `value` are summed, `rate` is the mean weighted by samples. */
  type: 'count' | 'value' | 'rate'
  unit: string
  /** What alerts call it. */
  description: string
  /** Whether a period has one row for each label; otherwise it has one row with the default label. */
  isLabelled: boolean
  older?: OlderMeaning
}

/** What a stored value of the older system means, where that differs from what the metric means here. */
interface OlderMeaning {
  /** Values are readings of a counter that only grows, where the amount in the period is wanted. */
  isReading?: boolean
  /** The readings of a period were summed up. */
  isSum?: boolean
  /** The label as it is here; undefined for one that counts nothing. */
  label?(label: string): string | undefined
}

/** The label of rows that nothing splits. */
export function defaultLabel({ type }: Pick<MetricFacts, 'type'>): string {
  return type === 'count' ? 'count' : 'value'
}

/** Stands for the labels beyond the cap. */
export const otherLabel = '(other)'
/** Of requests that lack what the label tells, so that each split sums up to its metric. */
export const noneLabel = '(none)'
