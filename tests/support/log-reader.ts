import type { SeriesLimits } from '../../src/core/config/monitoring-settings.ts'
import { Collector } from '../../src/monitoring/collect/collector.ts'
import type { CollectedService } from '../../src/monitoring/collect/service-collector.ts'
import type { SeriesLocation } from '../../src/monitoring/series/series-database.ts'
import { createSeriesWriter } from '../../src/monitoring/series/series-writer.ts'

/** Input of this program, as JSON in its only argument. */
export interface ReaderOrder {
  location: SeriesLocation
  limits: SeriesLimits
  service: CollectedService
  /** Time of the first read, in milliseconds since 1970. */
  now: number
  /** Number of reads, one minute apart. */
  turns: number
}

/** Collects a service as the collector thread does, until all reads are done or the process is killed. */
async function read({ location, limits, service, now, turns }: ReaderOrder): Promise<void> {
  const keep = { minuteDays: 0, hourDays: 0, dayDays: 0, requestDays: 0, exceptionDays: 0, maxBytes: 0 }
  const collector = new Collector(
    { location: location, limits, keep, privacy: 'full' },
    createSeriesWriter,
    () => undefined,
  )
  await collector.setServices([service])
  for (let turn = 0; turn < turns; turn += 1) {
    const { polled } = await collector.catchUp(now + turn * 60_000)
    console.log(`turn ${turn} ${polled.map(({ problem }) => problem ?? 'well').join()}`)
  }
  await collector.close()
}

await read(JSON.parse(process.argv[2] ?? '{}'))
