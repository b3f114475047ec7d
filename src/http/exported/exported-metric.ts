import type { Registry } from 'prom-client'
import { Counter, Gauge } from 'prom-client'
import type { EventBus } from '../../lib/events.ts'
import type { Space } from '../../lib/files/free-space.ts'

/** What monitoring tells of itself. */
export interface MonitoringLoad {
  /** Requests that wait to be recorded. */
  waiting: number
  /** Requests that were not recorded since the start: too many waited. */
  dropped: number
  isDegraded: boolean
  /** Seconds since the last collection; undefined before the first. */
  collectionAge?: number | undefined
}

/** Loads and looks at data, as the importer counts them. */
interface LoadCounts {
  running: number
  queued: number
}

/** What numbers of `/metrics` are taken from: nothing asks a database. */
export interface ExportSources {
  events: EventBus
  version: string
  loads(): LoadCounts
  /** Absent where monitoring is off. */
  monitoringLoad?(): MonitoringLoad
  /** Of the data directory. */
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

/** One that counts events since the start. */
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

/** One that is read whenever it is asked for; left out where `read` gives undefined. */
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
        ...{ ...described, registers: [registry] },
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
