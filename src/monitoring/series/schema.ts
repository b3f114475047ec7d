import type { ResourceType } from '../model/resource-types.ts'
import { resourceTypeId } from '../model/resource-types.ts'

/**
 * Tables of the series, the same on SQLite and PostgreSQL except for the parts in braces. Periods, minutes
 * and days are seconds since 1970, `created` is in milliseconds.
 *
 * - `monitoring_state`: numbers by name; a missing one is 0. Hours before `hours_rolled_before` and days
 *   before `days_rolled_before` are in the tables of hours and days, which always include everything in the
 *   minutes. Rows before `minutes_kept_from`, `hours_kept_from`, `days_kept_from` and `requests_kept_from`
 *   (whole days) have been deleted. `has_nobody` is 1 once there were requests with an unknown visitor.
 * - `monitoring_series`: one row for each service, metric, event type (`eventTypeId`) and split:
 *   `resource_id` 0 is not split (every request once), above 0 is a resource, and below 0 every request that
 *   used a resource of a type, once (`splitOfType`). `is_total` 0 has a row for each label; 1 has one row per
 *   period, the sum of those rows, with `label_id` 0. Metrics that are not split by label have no totals:
 *   their one row, with the default label, is the whole. Samples of hosts have the event type `all`.
 *   `load_id` 0 was collected here; others were imported from another system and are in exactly one of the
 *   three tables, never rolled up.
 * - `monitoring_minutes`, `_hours`, `_days`: `sum`, `min`, `max` are over minute values and `count` is their
 *   number; `weighted` is the sum of minute value times samples; `labels` and `users` are numbers of distinct
 *   labels and users (in `(none)`: 0; in `(other)`: of its labels; in totals: exact, or estimated if some are
 *   in `(other)`); `sketch` is a `QuantileSketch` for response.time and an `OtherSketch` for `(other)`. A
 *   total is the sum of its label rows: `min`, `max` and `count` are over minute values of single labels.
 * - `monitoring_requests`: the request log, the requests of a batch, service and minute in one row
 *   (`encodeRequests`). Batch 0 contains only the number of requests of a minute that were counted without
 *   being logged. Such a minute is never recomputed from the log, only added to.
 * - `monitoring_dirty`: minutes of services to be computed, with the batches that added requests.
 * - `monitoring_exceptions.load_id`: 0 for those of this server; the age of imported ones counts from their
 *   import, not from `created`.
 * - `monitoring_uses`: usage of a day, as known when its minutes were first computed; never rolled up from
 *   other tables. `zone` is empty for days of UTC, else the zone (`TERRANE_ZONE`) whose day begins at `day`
 *   and ends before `day_end`. `resource_id` 0 is every request once, else a resource. `split` is
 *   `useSplits`: all, or by the label. `times` is a `QuantileSketch`; `visitors`, if all are counted, an
 *   `OtherSketch` of visitors and of those with a name. `last_use` is in milliseconds. Since migration 5
 *   nothing is added to it: `monitoring_usage` replaces it.
 * - `monitoring_usage_zones`: time zones by whose days usage was counted (`TERRANE_ZONE`), each with the
 *   first day.
 * - `monitoring_usage`: the requests of a service and a day that begins at `day` in its zone, added up as
 *   minutes are computed. `scope` is `usageScopes`; `key_id` is a resource for the scope `resource`, a label
 *   for others, and 0 for `all`. `requests` is the sum of `cells` (`UsageRow`); `service_id` 0 has the
 *   visitors that several services share. Days before `usage_closed_before` are closed: they contain no data
 *   of single visitors. Later days are in `monitoring_usage_open`, so that rows that grow and shrink leave no
 *   gaps between stable rows.
 * - `monitoring_demand`, `monitoring_demand_open`: requested areas of a layer on such a day (`DemandRow`).
 * - `monitoring_labels.used`: the newest day with a row of the label; null if unknown.
 */
const tables = [
  'create table monitoring_state (name text primary key, value bigint not null)',
  'create table monitoring_cursors (source text primary key, value text not null)',
  'create table monitoring_salts (day bigint primary key, salt text not null, created bigint not null)',
  'create table monitoring_loads (id {id}, digest text not null unique, loaded bigint not null)',
  'create table monitoring_resources (id {id}, type smallint not null, name text not null, unique (name, type))',
  'create table monitoring_labels (id {id}, name text not null unique, user_name text, used bigint)',
  `create table monitoring_series (
    id {id}, service_id bigint not null, metric_id smallint not null, event_type smallint not null,
    resource_id bigint not null, is_total smallint not null, load_id bigint not null,
    unique (metric_id, is_total, event_type, resource_id, service_id, load_id))`,
  'create index monitoring_series_service on monitoring_series (service_id)',
  ...['minutes', 'hours', 'days'].map(
    (name) => `create table monitoring_${name} (
    series_id bigint not null, period bigint not null, label_id bigint not null,
    sum {real} not null, weighted {real} not null, min {real} not null, max {real} not null,
    samples bigint not null, count bigint not null, labels bigint not null, users bigint not null, sketch {blob},
    primary key (series_id, period, label_id)) {clustered}`,
  ),
  `create table monitoring_requests (
    id {id}, batch bigint not null, service_id bigint not null, minute bigint not null, requests bigint not null,
    data {blob} not null)`,
  'create index monitoring_requests_minute on monitoring_requests (minute, service_id)',
  `create table monitoring_exceptions (
    id {id}, service_id bigint not null, created bigint not null, error_type text not null, message text not null,
    stack text not null, request text, resource_ids text not null)`,
  'create index monitoring_exceptions_created on monitoring_exceptions (created)',
  `create table monitoring_dirty (
    service_id bigint not null, minute bigint not null, batch bigint not null,
    primary key (minute, service_id, batch)) {clustered}`,
] as const

const agesOfLoads = [
  'alter table monitoring_exceptions add column load_id bigint not null default 0',
] as const

const uses = [
  `create table monitoring_uses (
    service_id bigint not null, zone text not null, day bigint not null, resource_id bigint not null,
    split smallint not null, label_id bigint not null, day_end bigint not null,
    requests bigint not null, errors bigint not null, bytes {real} not null, timed bigint not null,
    milliseconds {real} not null, last_use bigint not null, times {blob} not null, visitors {blob},
    primary key (service_id, zone, day, resource_id, split, label_id)) {clustered}`,
  'create index monitoring_uses_day on monitoring_uses (day)',
] as const

/** Index for usage of resources without splits by day. */
const usesOfResources = [
  `create index monitoring_uses_resources on monitoring_uses (zone, day, resource_id)
   where split = 0 and resource_id > 0`,
] as const

/** Usage tables with one row per service, day and key, instead of one row per split. */
const usage = [
  'create table monitoring_usage_zones (id {id}, name text not null unique, since bigint not null)',
  ...['monitoring_usage', 'monitoring_usage_open'].map(
    (name) => `create table ${name} (
    zone_id smallint not null, day bigint not null, scope smallint not null, key_id bigint not null,
    service_id bigint not null, requests bigint not null, cells {blob} not null,
    primary key (zone_id, day, scope, key_id, service_id)) {clustered}`,
  ),
  ...['monitoring_demand', 'monitoring_demand_open'].map(
    (name) => `create table ${name} (
    zone_id smallint not null, day bigint not null, resource_id bigint not null, service_id bigint not null,
    cells {blob} not null, primary key (zone_id, day, resource_id, service_id)) {clustered}`,
  ),
] as const

export const resolutions = [60, 3600, 86_400] as const
/** Period of a stored row in seconds. */
export type Resolution = (typeof resolutions)[number]

export const tableOf: Record<Resolution, string> = {
  60: 'monitoring_minutes',
  3600: 'monitoring_hours',
  86400: 'monitoring_days',
}

/** Returns the `resource_id` of the series of all resources of a type: the negative id of the type. */
export function splitOfType(type: ResourceType): number {
  return -resourceTypeId(type)
}

const types = {
  sqlite: { id: 'integer primary key autoincrement', blob: 'blob', real: 'real', clustered: 'without rowid' },
  postgres: {
    id: 'bigint generated by default as identity primary key',
    blob: 'bytea',
    real: 'double precision',
    clustered: '',
  },
}

export interface Migration {
  number: number
  statements: string[]
}

/** Forward-only migrations: later versions append to the list and never change it. */
const migrations: readonly (readonly string[])[] = [tables, agesOfLoads, uses, usesOfResources, usage]

/** Returns the migrations after `version`; 0: the tables do not exist yet. */
export function migrationsFrom(kind: 'sqlite' | 'postgres', version: number): Migration[] {
  if (version > migrations.length)
    throw new Error(
      `The series were written by a later version of this program: they have version ${version}, this one knows ${migrations.length}`,
    )
  return migrations
    .slice(version)
    .map((statements, index) => ({
      number: version + index + 1,
      statements: statements.map((one) =>
        one.replace(/\{(\w+)\}/g, (_, name: keyof (typeof types)['sqlite']) => types[kind][name]),
      ),
    }))
}
