import type { Retention, SeriesLimits } from '../../core/config/monitoring-settings.ts'
import { WorkQueue } from '../../core/workers/work-queue.ts'
import { openSeriesDatabase } from '../series/open-series-database.ts'
import type { Batch, RollUpReport, SeriesWriter } from '../series/series.ts'
import type { SeriesDatabase, SeriesLocation } from '../series/series-database.ts'

export type OpenWriter = (database: SeriesDatabase, limits: SeriesLimits) => SeriesWriter

interface Opened {
  database: SeriesDatabase
  writer: SeriesWriter
}

export interface SharedSeriesOptions {
  location: SeriesLocation
  limits: SeriesLimits
  openWriter: OpenWriter
}

/**
 * Writer of the series, shared by all collectors of one thread: opened on first use, reopened after a
 * failure, and used by one at a time.
 */
export class SharedSeries implements SeriesWriter {
  readonly #options: SharedSeriesOptions
  readonly #turns = new WorkQueue({ limit: 1 })
  readonly #removed = new Set<number>()
  #opened: Opened | undefined

  constructor(options: SharedSeriesOptions) {
    this.#options = options
  }

  /** Gives access to the database for operations that the writer lacks. Use `database` only inside `work`. */
  withDatabase<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T> {
    return this.#turns.run(async () => work((await this.#open()).database))
  }

  cursor(source: string): Promise<string | undefined> {
    return this.#use((writer) => writer.cursor(source))
  }

  /** Skips data that are collected for a service while it is being removed. */
  append(batch: Batch): Promise<boolean> {
    return this.#use((writer) => {
      const left = withoutServices(batch, this.#removed)
      return left === undefined ? Promise.resolve(true) : writer.append(left)
    })
  }

  settle(now: number): Promise<RollUpReport> {
    return this.#use((writer) => writer.settle(now))
  }

  retain(now: number, keep: Retention): Promise<boolean> {
    return this.#use((writer) => writer.retain(now, keep))
  }

  removeService(serviceId: number): Promise<void> {
    this.#removed.add(serviceId)
    return this.#use((writer) => writer.removeService(serviceId))
  }

  close(): Promise<void> {
    return this.#turns.run(async () => {
      await this.#opened?.writer.close()
      this.#opened = undefined
    })
  }

  #use<T>(work: (writer: SeriesWriter) => Promise<T>): Promise<T> {
    return this.#turns.run(async () => work((await this.#open()).writer))
  }

  async #open(): Promise<Opened> {
    if (this.#opened !== undefined) return this.#opened
    const { location, limits, openWriter } = this.#options
    const database = await openSeriesDatabase(location)
    this.#opened = { database, writer: openWriter(database, limits) }
    return this.#opened
  }
}

/** Returns undefined if nothing remains; ids of services are not reused. */
function withoutServices(batch: Batch, removed: ReadonlySet<number>): Batch | undefined {
  const { events = [], exceptions = [], samples = [] } = batch
  const isKept = ({ serviceId }: { serviceId: number }): boolean => !removed.has(serviceId)
  if (removed.size === 0 || [events, exceptions, samples].every((list) => list.every(isKept))) return batch
  const [kept, caught, taken] = [events.filter(isKept), exceptions.filter(isKept), samples.filter(isKept)]
  if (kept.length + caught.length + taken.length === 0) return undefined
  return { ...batch, events: kept, exceptions: caught, samples: taken }
}
