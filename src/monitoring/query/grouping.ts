import type { Metric } from '../metrics/metrics.ts'

/** What the rows of a period stand for; without one there is a row for each label. */
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

/** What tells the rows of a period from each other. */
export type RowKey = 'label' | 'resource' | 'event_type' | 'user'

export interface GroupingShape {
  keys: readonly RowKey[]
  /** What `val` is: the metric's amount by its type, or a number of different things. */
  value: 'amount' | 'labels' | 'users' | 'resources'
  /** Whether rows of `(other)` and of labels without a user are left out. */
  isOfUsers: boolean
}

/** How a grouping is computed. */
export function shapeOf(grouping: Grouping | undefined, metric: Metric): GroupingShape {
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
