import type { Metric } from '../metrics/metrics.ts'

/** Meaning of a period's rows; without a grouping there is one row per label. */
export const groupings = [
  'resource',
  'resource_no_label',
  'resource_on_user',
  'count_on_resource',
  'label',
  'user',
  'user_on_label',
  'event_type',
  'event_type_on_label',
  'event_type_on_user',
] as const
export type Grouping = (typeof groupings)[number]

/** Key that distinguishes the rows of a period. */
export type RowKey = 'label' | 'resource' | 'event_type' | 'user'

export interface GroupingShape {
  keys: readonly RowKey[]
  /** Meaning of `val`: the metric's amount by its type, or a distinct count. */
  value: 'amount' | 'labels' | 'users' | 'resources'
  /** True to exclude rows of `(other)` and of labels without a user. */
  isOfUsers: boolean
}

/** Returns how a grouping is computed. */
export function groupingShape(grouping: Grouping | undefined, metric: Metric): GroupingShape {
  const labels = metric.isLabelled ? 'labels' : 'amount'
  const shapes: Record<Grouping, [GroupingShape['value'], ...RowKey[]]> = {
    resource: ['amount', 'resource', 'label'],
    resource_no_label: [labels, 'resource'],
    resource_on_user: ['users', 'resource'],
    count_on_resource: ['resources'],
    label: ['labels'],
    user: ['users'],
    user_on_label: ['labels', 'user'],
    event_type: ['amount', 'event_type'],
    event_type_on_label: ['labels', 'event_type'],
    event_type_on_user: ['users', 'event_type'],
  }
  const [value, ...keys] = grouping === undefined ? (['amount', 'label'] as const) : shapes[grouping]
  return { keys, value, isOfUsers: grouping === 'user' || grouping === 'user_on_label' }
}
