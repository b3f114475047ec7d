import type { Registry } from 'prom-client'
import { Counter, Gauge } from 'prom-client'
import type { EventBus } from '../../core/events/events.ts'
import type { Space } from '../../core/files/free-space.ts'

/** Metrics of monitoring itself. */
export interface MonitoringLoad {
  /** Requests that wait to be recorded. */
  waiting: number
  /** Requests that were not recorded since the start: too many waited. */
  dropped: number
  isDegraded: boolean
  /** Seconds since the last collection; undefined before the first. */
  collectionAge?: number | undefined
}

/** Numbers of loads and previews, from the importer. */
interface LoadCounts {
  running: number
  queued: number
}

/** Sources of the values in `/metrics`, none of which reads a database. */
export interface ExportSources {
  events: EventBus
  version: string
  /** Id of the server, new at each start, and name of its machine. */
  node: { id: string; host: string }
  /** Clock of the server minus that of the database. */
  clockSkewMs(): number
  loads(): LoadCounts
  /** Numbers of sources by state. */
  sources?(): Readonly<Record<string, number>>
  /** Absent where monitoring is off. */
  monitoringLoad?(): MonitoringLoad
  /** Free space of the data directory. */
  freeSpace?(): Promise<Space | undefined>
}

/** A number of `/metrics`, which describes itself. */
export interface ExportedMetric {
  name: string
  help: string
  /** Adds it to a registry; gives what stops its counting, where it listens to events. */
  add(registry: Registry, sources: ExportSources): (() => void)[]
}

interface Described {
  name: string
  help: string
}

/** Defines a counter of events since the start. */
export function counter<L extends string = never>(
  { labels, ...described }: Described & { labels?: readonly L[] },
  count: (counter: Counter<L>, events: EventBus) => (() => void)[],
): ExportedMetric {
  return {
    ...described,
    add: (registry, { events }) => {
      const made = new Counter({ ...described, labelNames: labels ?? [], registers: [registry] })
      return count(made, events)
    },
  }
}

/** Defines a gauge that is read for each request; omitted if `read` returns undefined. */
export function gauge(
  described: Described,
  read: (sources: ExportSources) => (() => number | undefined | Promise<number | undefined>) | undefined,
): ExportedMetric {
  return {
    ...described,
    add: (registry, sources) => {
      const value = read(sources)
      if (value === undefined) return []
      new Gauge({
        ...described,
        registers: [registry],
        async collect() {
          const now = await value()
          if (now === undefined) this.remove()
          else this.set(now)
        },
      })
      return []
    },
  }
}
