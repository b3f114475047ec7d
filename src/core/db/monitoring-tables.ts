import type { Generated } from 'kysely'

/** Tables of monitoring: hosts and services, notification checks, and mailed reports. */
export interface MonitoringTables {
  hosts: { id: Generated<number>; name: string; ip: string }
  services: {
    id: Generated<number>
    name: string
    type: string
    host_id: number
    url: string
    notes: string
    is_active: number
    /** Seconds. */
    check_interval: number
    last_check: string | null
    /** JSON of a `ServiceSource` without its password. */
    source: string
    /** Encrypted; empty when there is none. */
    password: string
  }
  notification_checks: {
    id: Generated<number>
    name: string
    description: string
    severity: string
    is_active: number
    grace_seconds: number
    window_seconds: number
    /** Time of the last delivered message about a problem. */
    last_send: string | null
    failing_since: string | null
    /** End of the last period that a server has evaluated, in seconds since 1970. */
    evaluated_to: number
    revision: number
  }
  notification_definitions: {
    id: Generated<number>
    check_id: number
    metric: string
    field_option: string
    description: string
    /** JSON of a `DefinitionBounds`. */
    document: string
    /** JSON of a `Threshold`; null if nothing is compared. */
    threshold: string | null
  }
  notification_receivers: {
    id: Generated<number>
    check_id: number
    kind: string
    /** Only for a user. */
    user_name: string | null
    /** User name, address or URL. */
    target: string
    /** Encrypted secret of a webhook; empty otherwise. */
    secret: string
  }
  notification_deliveries: {
    id: Generated<number>
    check_id: number
    receiver_id: number
    /** Readable text. */
    receiver: string
    kind: string
    /** JSON of a `Message`. */
    message: string
    state: string
    attempts: number
    next_try: string
    leased_until: string | null
    error: string | null
    created_at: string
    finished_at: string | null
  }
  report_subscriptions: {
    id: Generated<number>
    /** A `ReportGrouping`. */
    grouping: string
    /** A `ReportComparison`; null without one. */
    comparison: string | null
    language: string
    created_by: string
    created_at: string
    /** The last month whose mails were queued, such as `2026-10`. */
    last_month: string
  }
  report_receivers: {
    id: Generated<number>
    subscription_id: number
    kind: string
    user_name: string | null
    target: string
  }
  report_deliveries: {
    id: Generated<number>
    subscription_id: number
    receiver_id: number
    month: string
    /** pending, sent, failed or dropped. */
    state: string
    attempts: number
    next_try: string
    leased_until: string | null
    error: string | null
    finished_at: string | null
  }
}
