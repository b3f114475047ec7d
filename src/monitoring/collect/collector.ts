import type { PrivacyMode, Retention, SeriesLimits } from '../../core/config/monitoring-settings.ts'
import type { Say } from '../../core/errors/problems.ts'
import { Problems } from '../../core/errors/problems.ts'
import { pagesServiceId } from '../model/service-types.ts'
import type { SeriesLocation } from '../series/series-database.ts'
import { createLogCollector } from './access-log/log-collector.ts'
import { AddressLookup } from './classify/address-lookup.ts'
import { createClassifier } from './classify/classify-requests.ts'
import type { Classifier } from './classify/raw-request.ts'
import { Salts } from './classify/salts.ts'
import { createMonitorCollector } from './geoserver/monitor-collector.ts'
import { createHostCollector } from './hosts/host-collector.ts'
import type { Polled } from './polls.ts'
import { Polls } from './polls.ts'
import type { RequestBatch } from './server/append-requests.ts'
import { appendOwn, forgetServers } from './server/append-requests.ts'
import type { CollectedService, CreateCollector } from './service-collector.ts'
import type { OpenWriter } from './shared-series.ts'
import { SharedSeries } from './shared-series.ts'

type SourceKind = CollectedService['source']['kind']

/** One entry per kind of source. Requests of this server are not collected but pushed. */
const makers: Record<SourceKind, CreateCollector> = {
  log: createLogCollector,
  'geoserver-monitor': createMonitorCollector,
  own: createHostCollector,
  'node-exporter': createHostCollector,
  'geoserver-status': createHostCollector,
}

const createCollector: CreateCollector = (service, parts) => makers[service.source.kind](service, parts)

/** Settings passed to the collector thread at its start. Plain data. */
export interface CollectorSettings {
  location: SeriesLocation
  limits: SeriesLimits
  keep: Retention
  privacy: PrivacyMode
  placesFile?: string
  ownNetworks?: readonly string[]
}

/** Result of a tick. */
export interface TickReport {
  /** True if services are being read or closed periods remain to be computed. */
  isBusy: boolean
  /** Polls that ended since the last report. */
  polled: Polled[]
  /** Parts that currently fail. */
  problems: string[]
}

const settlesPerTick = 20
const retainEveryMs = 600_000

/** Work of the collector thread; one tick at a time. */
export class Collector {
  readonly #keep: Retention
  readonly #series: SharedSeries
  readonly #classifier: Classifier
  readonly #problems: Problems
  readonly #polls: Polls
  readonly #places: AddressLookup
  readonly #salts: Salts
  #retained: number | undefined
  #now = 0

  constructor(settings: CollectorSettings, openWriter: OpenWriter, log: Say) {
    const { location, limits, keep, privacy, placesFile, ownNetworks = [] } = settings
    this.#keep = keep
    this.#series = new SharedSeries({ location, limits, openWriter })
    this.#places = new AddressLookup(placesFile)
    this.#salts = new Salts((work) => this.#series.withDatabase(work))
    this.#classifier = createClassifier({
      privacy,
      places: this.#places,
      ownNetworks,
      salts: this.#salts,
      now: () => this.#now,
    })
    this.#problems = new Problems(log)
    this.#polls = new Polls({ writer: this.#series, classifier: this.#classifier, log }, createCollector)
  }

  /** Writes a batch of this server's requests. Throws if that fails; the caller must pass the batch again. */
  takeOwn(batch: RequestBatch): Promise<void> {
    this.#now = batch.now
    return appendOwn(this.#series, this.#classifier, batch)
  }

  setServices(services: readonly CollectedService[]): Promise<void> {
    return this.#polls.setServices(services)
  }

  async removeService(serviceId: number): Promise<void> {
    await this.#series.removeService(serviceId)
    await this.#series.removeService(pagesServiceId(serviceId))
  }

  /** Starts due polls, computes closed periods and deletes expired data, each a bounded amount. */
  async tick(now: number): Promise<TickReport> {
    this.#now = now
    this.#polls.begin(now)
    const hasMore = await this.#problems.guard('settling', () => this.#settle(now))
    if (this.#retained === undefined || Math.abs(now - this.#retained) >= retainEveryMs) {
      await this.#problems.guard('places', () => this.#places.refresh())
      await this.#problems.guard('retention', () => this.#retain(now))
    }
    return this.#report(hasMore ?? true)
  }

  /** Like `tick`, but waits until all due polls have ended and all closed periods are computed. */
  async catchUp(now: number): Promise<TickReport> {
    this.#now = now
    this.#polls.begin(now)
    await this.#polls.wait()
    let hasMore: boolean | undefined = true
    while (hasMore) hasMore = await this.#problems.guard('settling', () => this.#settle(now))
    return this.#report(hasMore ?? true)
  }

  async close(): Promise<void> {
    await this.#polls.close()
    await this.#series.close()
  }

  #report(hasMore: boolean): TickReport {
    return {
      isBusy: this.#polls.isBusy || hasMore,
      polled: this.#polls.takeDone(),
      problems: this.#problems.parts(),
    }
  }

  async #settle(now: number): Promise<boolean> {
    for (let count = 0; count < settlesPerTick; count += 1) {
      if (!(await this.#series.settle(now)).hasMore) return false
    }
    return true
  }

  async #retain(now: number): Promise<void> {
    await this.#salts.forget(now)
    if (await this.#series.retain(now, this.#keep)) return
    await this.#series.withDatabase((database) => forgetServers(database, now))
    this.#retained = now
  }
}
