import type { EventType } from '../model/event-types.ts'
import type { ResourceType } from '../model/resource-types.ts'
import type { TimeWindow } from './align-window.ts'
import type { Grouping } from './grouping.ts'

/** Query for the rows of a metric in each period of a window. */
export interface MetricDataQuery {
  /** Name of a metric. */
  metric: string
  window: TimeWindow
  grouping?: Grouping
  /** Default: all services. */
  serviceIds?: readonly number[]
  /** Default: `all`, or every type if rows are split by type. Ignored for metrics of hosts. */
  eventType?: EventType
  /** Label name; with `isLabelId` a label id, if there is one. */
  label?: string
  isLabelId?: boolean
  resource?: ResourceName
  resourceType?: ResourceType
  /** Only labels of this user. */
  user?: string
}

export type ResourceName = { id: number } | { type: ResourceType; name: string }
