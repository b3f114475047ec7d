import type { MonitoringSettings } from '../config/monitoring-settings.ts'
import type { Clock } from '../lib/clock.ts'
import { explain } from '../lib/errors.ts'
import type { EventBus } from '../lib/events.ts'
import type { Logger } from '../lib/logger.ts'
import { Turns } from '../lib/turns.ts'
import type { TickReport } from './collect/collector.ts'
import { CollectorHandle } from './collect/collector-handle.ts'
import type { LoneException, OwnRequest } from './collect/own/own-request.ts'
import { OwnRequests } from './collect/own/own-requests.ts'
import type { CollectedService, CollectedSource } from './collect/service-collector.ts'
import type { MonitoringHealth } from './health.ts'
import { Health } from './health.ts'
import type { ServiceRecord, ServiceSource } from './model/records.ts'
import type { SeriesPlace } from './series/series-database.ts'

const tickMs = 1000
const minuteMs = 60_000

/** The configured services. */
export interface ServiceRegistry {
  list(): Promise<ServiceRecord[]>
  markChecked(id: number, at: Date): Promise<void>
}

export interface MonitoringNeeds {
  settings: MonitoringSettings
  place: SeriesPlace
  registry: ServiceRegistry
  events: EventBus
  clock: Clock
  log: Logger
}

/**
 * Monitoring as one part: takes this server's own requests, has the collector thread collect, and tells how it fares.
 * Nothing here fails or holds up who calls `record`.
 */
export class Monitoring {
  readonly #needs: MonitoringNeeds
  readonly #own = new OwnRequests()
  readonly #health: Health
  readonly #collector: CollectorHandle
  readonly #turns = new Turns()
  readonly #stopListening: () => void
  #timer: NodeJS.Timeout | undefined
  #services: ServiceRecord[] | undefined
  #minute: number | undefined
  #problems = new Map<number, string>()

  constructor(needs: MonitoringNeeds) {
    const { settings, place, log, clock, events } = needs
    this.#needs = needs
    this.#health = new Health(clock, log)
    const { limits, keep, privacy, placesFile } = settings
    this.#collector = new CollectorHandle(
      { place, limits, keep, privacy, ...(placesFile === undefined ? {} : { placesFile }) },
      log,
    )
    this.#stopListening = events.on('exception.caught', ({ error, where }) => {
      const type = error instanceof Error ? error.constructor.name : typeof error
      const stack = error instanceof Error ? (error.stack ?? '') : ''
      this.recordException({
        created: clock.now().getTime(),
        type,
        message: `${where}: ${explain(error)}`,
        stack,
      })
    })
  }

  /** Begins to tick each second. */
  start(): void {
    let isTicking = false
    this.#timer = setInterval(async () => {
      if (isTicking) return
      isTicking = true
      await this.tick()
      isTicking = false
    }, tickMs).unref()
  }

  /** Takes a request of this server. */
  record(request: OwnRequest): void {
    this.#own.add(request)
  }

  /** Takes an exception that no request ended with. */
  recordException(exception: LoneException): void {
    this.#own.addException(exception)
  }

  /** Hands over what was recorded, collects what is due and computes what is closed. Never throws. */
  tick(): Promise<void> {
    return this.#turns.take(() => this.#work((now) => this.#collector.tick(now)))
  }

  /** Like `tick`, but returns when everything up to the clock's time is collected and computed. */
  catchUp(): Promise<void> {
    return this.#turns.take(() => this.#work((now) => this.#collector.catchUp(now)))
  }

  health(): MonitoringHealth {
    return this.#health.report(this.#own.dropped)
  }

  /** What went wrong when the service was read last; undefined while all is well. */
  problemOf(serviceId: number): string | undefined {
    return this.#problems.get(serviceId)
  }

  /** To be called after services were added, changed or taken away. */
  servicesChanged(): void {
    this.#services = undefined
  }

  /** Removes what was collected of a service. */
  async removeService(id: number): Promise<void> {
    this.servicesChanged()
    await this.#collector.removeService(id)
  }

  /** Hands over what is left and ends the threads. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopListening()
    await this.#turns.take(async () => {
      await this.#health.guard('recording', () => this.#flush())
      await this.#collector.close()
    })
  }

  async #work(collect: (now: number) => Promise<TickReport>): Promise<void> {
    const now = this.#needs.clock.now().getTime()
    const minute = Math.floor(now / minuteMs)
    const isNewMinute = this.#minute !== minute
    this.#minute = minute
    await this.#health.guard('configuration', () => this.#readServices(isNewMinute))
    const isFlushed = await this.#health.guard('recording', () => this.#flush())
    await this.#health.guard('collecting', async () => {
      const report = await collect(now)
      this.#health.setCollecting(report.problems)
      await this.#note(report, isFlushed && isNewMinute ? now : undefined)
    })
  }

  async #readServices(isNewMinute: boolean): Promise<void> {
    if (this.#services !== undefined && !isNewMinute) return
    const services = (await this.#needs.registry.list()).filter(({ isActive }) => isActive)
    this.#services = services
    await this.#collector.setServices(services.map(toCollected))
  }

  async #flush(): Promise<void> {
    const now = this.#needs.clock.now().getTime()
    const services = ownServices(this.#services ?? [])
    await this.#own.flush((batch) => this.#collector.own(batch), { now, services })
  }

  /** Writes down when services were read. */
  async #note({ polled }: TickReport, ownChecked: number | undefined): Promise<void> {
    for (const { serviceId, problem } of polled) {
      if (problem === undefined) this.#problems.delete(serviceId)
      else this.#problems.set(serviceId, problem)
    }
    const read = polled.filter(({ isRead }) => isRead)
    const { app, mapserver } = ownServices(this.#services ?? [])
    const own = ownChecked === undefined ? [] : [app, mapserver].filter((id) => id !== undefined)
    const { registry } = this.#needs
    for (const { serviceId, at } of read) await registry.markChecked(serviceId, new Date(at))
    for (const id of own) await registry.markChecked(id, new Date(ownChecked ?? 0))
  }
}

/** The services that this server's own requests count for. */
function ownServices(services: readonly ServiceRecord[]): { app?: number; mapserver?: number } {
  const find = (type: string): number | undefined =>
    services.find((one) => one.source.kind === 'own' && one.type === type)?.id
  const app = find('app')
  const mapserver = find('mapserver')
  return { ...(app === undefined ? {} : { app }), ...(mapserver === undefined ? {} : { mapserver }) }
}

function toCollected({ id, name, type, url, checkIntervalSeconds, source }: ServiceRecord): CollectedService {
  return { id, name, type, url, checkIntervalSeconds, source: revealed(source) }
}

function revealed(source: ServiceSource): CollectedSource {
  if (source.kind === 'own' || source.kind === 'log') return source
  const { password, ...rest } = source
  return { ...rest, ...(password === undefined ? {} : { password: password.reveal() }) }
}
