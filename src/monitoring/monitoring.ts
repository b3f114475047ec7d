import { setTimeout } from 'node:timers/promises'
import type { MonitoringSettings } from '../core/config/monitoring-settings.ts'
import type { EventBus } from '../core/events/events.ts'
import type { Logger } from '../core/log/logger.ts'
import type { Clock } from '../core/time/clock.ts'
import { WorkQueue } from '../core/workers/work-queue.ts'
import type { TickReport } from './collect/collector.ts'
import { CollectorHandle } from './collect/collector-handle.ts'
import { describeException } from './collect/server/describe-exception.ts'
import type { ServerRequest } from './collect/server/server-request.ts'
import { ServerRequests } from './collect/server/server-requests.ts'
import type { MonitoringHealth } from './health.ts'
import { Health } from './health.ts'
import type { ServiceRecord } from './model/records.ts'
import type { Notifications } from './notify/notifications.ts'
import type { SeriesLocation } from './series/series-database.ts'
import type { Services, ServicesChange } from './services/services.ts'
import { ownServices, splitDoubles, toCollected } from './watched-services.ts'

const tickMs = 1000
/**
 * Interval of flushing. A request that was answered at least two intervals ago is not lost if the process is
 * killed.
 */
const flushMs = 100
const minuteMs = 60_000
/** Maximum time for writing the remaining requests at shutdown. */
const stopMs = 8000
/** Maximum wait of alert rules, after the end of a minute, for services that are still being read. */
const longestWaitMs = 20_000

export interface MonitoringDeps {
  settings: MonitoringSettings
  location: SeriesLocation
  services: Services
  notifications: Pick<Notifications, 'evaluate'>
  events: EventBus
  clock: Clock
  log: Logger
}

/**
 * Entry point of monitoring: accepts this server's requests, runs the collector thread, and reports its
 * state. `record` never throws or blocks.
 */
export class Monitoring {
  readonly #deps: MonitoringDeps
  readonly #own = new ServerRequests()
  readonly #health: Health
  readonly #collector: CollectorHandle
  readonly #turns = new WorkQueue({ limit: 1 })
  readonly #flushes = new WorkQueue({ limit: 1 })
  readonly #stopListening: (() => void)[]
  #timer: NodeJS.Timeout | undefined
  #flushTimer: NodeJS.Timeout | undefined
  #services: ServiceRecord[] | undefined
  #changes = 0
  /** Number of the last change applied to `#services`. */
  #changesRead = 0
  #minute: number | undefined
  #evaluated: number | undefined
  /** Time of the last collection, in milliseconds since 1970. */
  #collected: number | undefined
  #problems = new Map<number, string>()
  #doubles: ReadonlyMap<number, string> = new Map()

  constructor(deps: MonitoringDeps) {
    const { settings, location, log, clock, events, services } = deps
    this.#deps = deps
    this.#health = new Health(clock, log)
    const { limits, keep, privacy, placesFile, ownNetworks = [] } = settings
    this.#collector = new CollectorHandle({ location, limits, keep, privacy, ownNetworks, placesFile }, log)
    this.#stopListening = [
      events.on('exception.caught', ({ error, where }) => this.#noteException(error, where)),
      services.onChange((change) => this.#noteChange(change)),
    ]
  }

  /** Starts a timer that calls `tick` each second. */
  start(): void {
    let isTicking = false
    this.#timer = setInterval(async () => {
      if (isTicking) return
      isTicking = true
      await this.tick()
      isTicking = false
    }, tickMs).unref()
    this.#flushOften()
  }

  /** Flushes requests between ticks, whose duration is not limited. */
  #flushOften(): void {
    let isFlushing = false
    let pauseTo = 0
    this.#flushTimer = setInterval(async () => {
      if (isFlushing || this.#services === undefined || this.#own.waiting === 0) return
      if (performance.now() < pauseTo) return
      isFlushing = true
      if (!(await this.#health.guard('recording', () => this.#flush()))) pauseTo = performance.now() + tickMs
      isFlushing = false
    }, flushMs).unref()
  }

  /** Records a request of this server. */
  record(request: ServerRequest): void {
    this.#own.add(request)
  }

  /** Sends recorded requests, runs due polls and computes closed periods. Never throws. */
  tick(): Promise<void> {
    return this.#turns.run(() => this.#work((now) => this.#collector.tick(now)))
  }

  /** Like `tick`, but returns when everything up to the clock's time is collected and computed. */
  catchUp(): Promise<void> {
    return this.#turns.run(() => this.#work((now) => this.#collector.catchUp(now)))
  }

  /** Returns the numbers of waiting requests and of those dropped since the start. */
  load(): { waiting: number; dropped: number } {
    const { waiting, dropped } = this.#own
    return { waiting, dropped }
  }

  health(): MonitoringHealth {
    return this.#health.report(this.#own.dropped)
  }

  /** Seconds since the collector's last completed tick; undefined before the first. */
  collectionAge(): number | undefined {
    if (this.#collected === undefined) return undefined
    return Math.max(0, this.#deps.clock.now().getTime() - this.#collected) / 1000
  }

  /** Returns the problem of the service's last poll, or why it is not polled; undefined if there is none. */
  problemOf(serviceId: number): string | undefined {
    return this.#problems.get(serviceId) ?? this.#doubles.get(serviceId)
  }

  /** Sends the remaining requests and ends the threads. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    clearInterval(this.#flushTimer)
    for (const stop of this.#stopListening) stop()
    const finished = this.#turns.run(async () => {
      await this.#health.guard('configuration', () => this.#readServices(false))
      await this.#health.guard('recording', () => this.#flush())
      await this.#health.guard('collecting', () => this.#collector.close())
    })
    await Promise.race([finished, setTimeout(stopMs, undefined, { ref: false })])
    await this.#collector.terminate()
    await finished
  }

  async #work(collect: (now: number) => Promise<TickReport>): Promise<void> {
    const now = this.#deps.clock.now().getTime()
    const minute = Math.floor(now / minuteMs)
    const isNewMinute = this.#minute !== minute
    this.#minute = minute
    await this.#health.guard('configuration', () => this.#readServices(isNewMinute))
    const isFlushed = await this.#health.guard('recording', () => this.#flush())
    let isBusy = true
    await this.#health.guard('collecting', async () => {
      const report = await collect(now)
      this.#collected = this.#deps.clock.now().getTime()
      this.#health.setCollecting(report.problems)
      await this.#note(report, isFlushed && isNewMinute ? now : undefined)
      isBusy = report.isBusy
    })
    if (this.#evaluated === minute || (isBusy && now - minute * minuteMs < longestWaitMs)) return
    this.#evaluated = minute
    await this.#health.guard('checks', () => this.#deps.notifications.evaluate(new Date(now)))
  }

  #noteException(error: unknown, where: string): void {
    const { type, message, stack } = describeException(error)
    const created = this.#deps.clock.now().getTime()
    this.#own.addException({ created, type, message: `${where}: ${message}`, stack })
  }

  async #noteChange({ removedId }: ServicesChange): Promise<void> {
    this.#changes += 1
    this.#services = this.#services?.filter(({ id }) => id !== removedId)
    if (removedId !== undefined) await this.#collector.removeService(removedId)
  }

  async #readServices(isNewMinute: boolean): Promise<void> {
    const changes = this.#changes
    if (this.#services !== undefined && this.#changesRead === changes && !isNewMinute) return
    const active = (await this.#deps.services.list()).filter(({ isActive }) => isActive)
    const { services, doubles } = splitDoubles(active)
    this.#services = services
    this.#doubles = doubles
    const { mapServers } = this.#deps.settings
    await this.#collector.setServices(services.map((one) => toCollected(one, mapServers)))
    this.#changesRead = changes
  }

  async #flush(): Promise<void> {
    // Reads the services again: one that became active since then counts the requests that are written now.
    if (this.#changesRead !== this.#changes) await this.#readServices(false)
    const now = this.#deps.clock.now().getTime()
    if (this.#services === undefined) throw new Error('It is not known yet which services are watched')
    const services = ownServices(this.#services)
    await this.#flushes.run(() => this.#own.flush((batch) => this.#collector.own(batch), { now, services }))
  }

  /** Records when services were read. */
  async #note({ polled }: TickReport, ownChecked: number | undefined): Promise<void> {
    for (const { serviceId, problem } of polled) {
      if (problem === undefined) this.#problems.delete(serviceId)
      else this.#problems.set(serviceId, problem)
    }
    const read = polled.filter(({ isRead }) => isRead)
    const { app, mapserver } = ownServices(this.#services ?? [])
    const own = ownChecked === undefined ? [] : [app, mapserver].filter((id) => id !== undefined)
    const { services } = this.#deps
    for (const { serviceId, at } of read) await services.markChecked(serviceId, new Date(at))
    for (const id of own) await services.markChecked(id, new Date(ownChecked ?? 0))
  }
}
