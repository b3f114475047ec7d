import type { PrivacyMode } from '../../src/core/config/monitoring-settings.ts'
import { Collector } from '../../src/monitoring/collect/collector.ts'
import type { Polled } from '../../src/monitoring/collect/polls.ts'
import type { CollectedService } from '../../src/monitoring/collect/service-collector.ts'
import { metricNamed } from '../../src/monitoring/metrics/metrics.ts'
import type { EventType } from '../../src/monitoring/model/event-types.ts'
import { eventTypeId } from '../../src/monitoring/model/event-types.ts'
import type { StoredDemand } from '../../src/monitoring/query/usage-reads.ts'
import { readDemand, readUsage } from '../../src/monitoring/query/usage-reads.ts'
import { openSeriesDatabase } from '../../src/monitoring/series/open-series-database.ts'
import type { SeriesDatabase, SeriesLocation } from '../../src/monitoring/series/series-database.ts'
import { createSeriesWriter } from '../../src/monitoring/series/series-writer.ts'
import type { UsageScope } from '../../src/monitoring/series/usage-counts.ts'
import type { UsageRow } from '../../src/monitoring/series/usage-row.ts'

const keep = { minuteDays: 0, hourDays: 0, dayDays: 0, requestDays: 0, exceptionDays: 0, maxBytes: 0 }
const limits = { labels: 1000, visitors: 10_000, resources: 500 }

interface Split {
  /** Default: `all`. */
  eventType?: EventType
  /** Name of a layer. */
  layer?: string
}

interface StoredException {
  error_type: string
  message: string
  stack: string
}

/** A service that is watched as the collector thread does it, with the real writer. */
export interface WatchedService {
  /** Runs one read as if at that time. Returns what is needed to compute the minutes. */
  collect(now: number): Promise<Polled>
  /** Stops the collector and starts another one. */
  restart(): Promise<void>
  /** Returns the sums of a metric by label, over all minutes. */
  sums(metric: string, split?: Split): Promise<Record<string, number>>
  /** Returns the number of samples and their sum over all minutes, for a metric that is a mean. */
  total(metric: string, split?: Split): Promise<{ samples: number; total: number }>
  exceptions(): Promise<StoredException[]>
  /** Returns the usage of one day by label or by name of the resource. */
  usage(scope: UsageScope): Promise<Record<string, UsageRow>>
  demand(): Promise<StoredDemand[]>
  close(): Promise<void>
}

export interface WatchOptions {
  privacy?: PrivacyMode
  ownNetworks?: string[]
}

export async function watchService(
  location: SeriesLocation,
  service: CollectedService,
  { privacy = 'truncated', ownNetworks = [] }: WatchOptions = {},
): Promise<WatchedService> {
  const database = await openSeriesDatabase(location)
  const start = async (): Promise<Collector> => {
    const collector = new Collector(
      { location, limits, keep, privacy, ownNetworks },
      createSeriesWriter,
      () => undefined,
    )
    await collector.setServices([service])
    return collector
  }
  let collector = await start()
  return {
    async collect(now) {
      const { polled, problems } = await collector.catchUp(now)
      const [own] = polled
      if (own === undefined || problems.length > 0) throw new Error(`Nothing was collected: ${problems}`)
      return own
    },
    async restart() {
      await collector.close()
      collector = await start()
    },
    sums: async (metric, split) => {
      const rows = await readRows(database, service.id, metric, split)
      return Object.fromEntries(rows.map(({ label, sum }) => [label, Number(sum)]))
    },
    total: async (metric, split) => {
      const [row] = await readRows(database, service.id, metric, split)
      return { samples: Number(row?.samples ?? 0), total: Math.round(row?.weighted ?? 0) }
    },
    exceptions: async () => {
      const sql = 'select error_type, message, stack from monitoring_exceptions order by created, id'
      return (await database.all<StoredException>(sql)).map((row) => ({ ...row }))
    },
    usage: async (scope) => {
      const { rows } = await readUsage(database, { from: 0, to: 4e9, scope })
      return Object.fromEntries(rows.map(({ resource, label, row }) => [resource?.name ?? label, row]))
    },
    demand: async () => readDemand(database, { from: 0, to: 4e9 }),
    async close() {
      await collector.close()
      await database.close()
    },
  }
}

function readRows(
  database: SeriesDatabase,
  serviceId: number,
  metric: string,
  { eventType = 'all', layer }: Split = {},
): Promise<{ label: string; sum: number; weighted: number; samples: number }[]> {
  const resource =
    layer === undefined ? '= 0' : '= (select id from monitoring_resources where type = 1 and name = ?)'
  return database.all(
    `select name as label, sum(sum) as sum, sum(weighted) as weighted, sum(samples) as samples from monitoring_minutes
       join monitoring_series on monitoring_series.id = series_id
       join monitoring_labels on monitoring_labels.id = label_id
     where service_id = ? and metric_id = ? and event_type = ? and is_total = 0 and resource_id ${resource}
     group by name order by name`,
    [serviceId, metricNamed(metric).id, eventTypeId(eventType), ...(layer === undefined ? [] : [layer])],
  )
}
