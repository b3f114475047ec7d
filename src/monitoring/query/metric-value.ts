import type { EventType } from '../model/event-types.ts'

/** Asks for one number: a metric over `[from, to)`, in seconds since 1970. */
export interface MetricValueQuery {
  /** Name of a metric. */
  metric: string
  serviceIds: readonly number[]
  resourceId?: number
  /** Of that name exactly. */
  label?: string
  /** Default: `all`. */
  eventType?: EventType
  from: number
  to: number
}

export interface MetricValue {
  /** By the type of the metric; undefined where nothing was collected. */
  value: number | undefined
  /** Seconds since 1970: the end of the newest stored row up to `to`, however old; undefined where there is none. */
  lastValidTo: number | undefined
}
