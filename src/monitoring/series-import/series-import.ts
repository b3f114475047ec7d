import type {
  DumpException,
  RecordedPeriods,
  SeriesPeriod,
  SeriesTarget,
} from '../../../packages/geonode-migration/index.ts'
import type { PrivacyMode } from '../../core/config/monitoring-settings.ts'
import { parseAddress, storedAddress } from '../collect/classify/address.ts'
import { scrubText, withoutAddress } from '../collect/classify/scrub.ts'
import { defaultLabel, findMetric, isHostMetric } from '../metrics/metrics.ts'
import { writeExceptions } from '../series/append.ts'
import { SeriesDictionary } from '../series/dictionary.ts'
import { openSeriesDatabase } from '../series/open-series-database.ts'
import type { SeriesDatabase, SeriesLocation } from '../series/series-database.ts'
import { deleteHidden, findLoad, nextLoadId, publishHidden } from './hidden-loads.ts'
import { readRecordedPeriods } from './recorded-periods.ts'
import { writePeriods } from './write-periods.ts'

const daySeconds = 86_400

/** Series of this server as the target of one import from another system. */
export class SeriesImport implements SeriesTarget {
  readonly #database: SeriesDatabase
  readonly #privacy: PrivacyMode
  readonly #now: number
  readonly #dictionary = new SeriesDictionary()
  #loadId = 0

  constructor(database: SeriesDatabase, { privacy, now }: { privacy: PrivacyMode; now: number }) {
    this.#database = database
    this.#privacy = privacy
    this.#now = now
  }

  findMetric(name: string) {
    const metric = findMetric(name)
    if (metric === undefined) return undefined
    return {
      id: metric.id,
      name,
      type: metric.type,
      isLabelled: metric.isLabelled,
      isAddress: metric.takenFrom === 'labels' && metric.isAddress,
      isHost: isHostMetric(metric),
      defaultLabel: defaultLabel(metric),
    }
  }

  findImport(digest: string): Promise<number | undefined> {
    return findLoad(this.#database, digest)
  }

  async begin(): Promise<void> {
    await deleteHidden(this.#database)
    this.#loadId = await nextLoadId(this.#database)
  }

  readRecordedPeriods(serviceId: number): Promise<RecordedPeriods> {
    return readRecordedPeriods(this.#database, serviceId)
  }

  writePeriods(periods: Iterable<SeriesPeriod>): Promise<void> {
    const day = Math.floor(this.#now / 1000 / daySeconds) * daySeconds
    return writePeriods(periods, { database: this.#database, loadId: this.#loadId, day })
  }

  async writeExceptions(exceptions: DumpException[]): Promise<void> {
    const dictionary = this.#dictionary
    await this.#database.transaction((database) =>
      writeExceptions({ database, dictionary, resources: Number.POSITIVE_INFINITY }, exceptions),
    )
  }

  keepAddress(text: string): string | null {
    const address = parseAddress(text)
    return address === undefined ? null : storedAddress(address, this.#privacy)
  }

  removeAddress(text: string, address: string, kept: string | null): string {
    return withoutAddress(text, address, kept)
  }

  scrub(text: string): string {
    return scrubText(text, this.#privacy)
  }

  /** Makes the rows visible and records the import. `services`: hidden id -> id. */
  publish(digest: string, services: ReadonlyMap<number, number>): Promise<void> {
    return publishHidden(this.#database, { id: this.#loadId, digest, loaded: this.#now }, services)
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}

/** Opens the series for an import; the caller must call `close()`. `now`: milliseconds since 1970. */
export async function openSeriesImport(
  location: SeriesLocation,
  options: { privacy: PrivacyMode; now: number },
): Promise<SeriesImport> {
  return new SeriesImport(await openSeriesDatabase(location), options)
}
