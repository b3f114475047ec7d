import { orAborted } from '../../core/concurrency/or-aborted.ts'
import { explain } from '../../core/errors/errors.ts'
import { hidePassword } from '../../core/secrets/without-secrets.ts'
import type {
  CollectedService,
  CollectorDeps,
  CreateCollector,
  ServiceCollector,
} from './service-collector.ts'

const usualLimitMs = 30_000
/** Time for which pieces are read in sequence before other services get time. */
const piecesMs = 10_000
const maxProblemLength = 500
const maxProblems = 20

/** Result of a poll of a service. */
export interface Polled {
  serviceId: number
  /** Time of the poll, in milliseconds since 1970. */
  at: number
  /** Absent if the poll succeeded completely. */
  problem?: string
  /** True if anything could be read. */
  isRead: boolean
}

interface Watched {
  service: CollectedService
  /** Its settings as text, for detecting changes. */
  key: string
  collector: ServiceCollector
  /** Aborted when the service is no longer watched. */
  stop: AbortController
  /** Time of the previous poll; undefined before the first. */
  turn?: number
  running?: Promise<void>
  /** A call that exceeded its limit and is still running. */
  late?: Promise<unknown>
  /** Problem of the previous poll. */
  problem?: string
}

/** Runs the polls of each service's collector. */
export class Polls {
  readonly #deps: CollectorDeps
  readonly #create: CreateCollector
  readonly #limitMs: number
  readonly #watched = new Map<number, Watched>()
  #done: Polled[] = []

  /** `limitMs`: time limit of one poll. */
  constructor(deps: CollectorDeps, create: CreateCollector, limitMs = usualLimitMs) {
    this.#deps = deps
    this.#create = create
    this.#limitMs = limitMs
  }

  /** Sets the services to watch. */
  async setServices(services: readonly CollectedService[]): Promise<void> {
    const requested = new Map(services.map((service) => [service.id, service]))
    for (const [id, { key }] of this.#watched) {
      const service = requested.get(id)
      if (service === undefined || keyOf(service) !== key) await this.#forget(id)
    }
    for (const service of requested.values()) {
      if (this.#watched.has(service.id)) continue
      const collector = this.#create(service, this.#deps)
      if (collector === undefined) continue
      const stop = new AbortController()
      this.#watched.set(service.id, { service, key: keyOf(service), collector, stop })
    }
  }

  /** Starts due polls; a service with a running poll waits for the next one. */
  begin(now: number): void {
    for (const watched of this.#watched.values()) {
      const turn = Math.floor(now / (watched.service.checkIntervalSeconds * 1000))
      if (watched.running !== undefined || watched.turn === turn) continue
      watched.turn = turn
      watched.running = this.#take(watched, now).finally(() => {
        delete watched.running
      })
    }
  }

  get isBusy(): boolean {
    return [...this.#watched.values()].some(({ running }) => running !== undefined)
  }

  /** Waits for the running polls. */
  async wait(): Promise<void> {
    await Promise.all([...this.#watched.values()].map(({ running }) => running))
  }

  /** Returns the polls that ended since the last call. */
  takeDone(): Polled[] {
    return this.#done.splice(0)
  }

  async close(): Promise<void> {
    for (const id of [...this.#watched.keys()]) await this.#forget(id)
  }

  async #forget(id: number): Promise<void> {
    const watched = this.#watched.get(id)
    this.#watched.delete(id)
    watched?.stop.abort(new Error('The service is watched no longer'))
    await watched?.running
    await watched?.collector.close()
  }

  async #take(watched: Watched, at: number): Promise<void> {
    const { service } = watched
    const signal = AbortSignal.any([AbortSignal.timeout(this.#limitMs), watched.stop.signal])
    let problem = ''
    let isRead = false
    try {
      if (watched.late !== undefined) throw new Error('The collection before has not ended yet')
      problem = await collectPieces(watched, at, signal)
      isRead = true
    } catch (error) {
      problem = explain(error)
    }
    if (watched.stop.signal.aborted) return
    problem = withoutPassword(service, problem).slice(0, maxProblemLength)
    if (problem !== '' && problem !== watched.problem) {
      this.#deps.log('warn', { service: service.name, problem }, 'a service was not collected wholly')
    }
    watched.problem = problem
    this.#done.push({ serviceId: service.id, at, isRead, problem: problem === '' ? undefined : problem })
  }
}

/**
 * Reads pieces until nothing remains or the time limit is reached. Returns the problems as text; empty if
 * there are none.
 */
async function collectPieces(watched: Watched, at: number, signal: AbortSignal): Promise<string> {
  const end = performance.now() + piecesMs
  const found = new Set<string>()
  for (;;) {
    const work = watched.collector.collect(at, signal)
    watched.late = work.catch(() => undefined).finally(() => delete watched.late)
    const { hasMore = false, problems = [] } = await orAborted(work, signal)
    for (const problem of problems) if (found.size < maxProblems) found.add(problem)
    if (hasMore && performance.now() > end) delete watched.turn
    if (!hasMore || watched.turn === undefined) return [...found].join('\n')
  }
}

function keyOf(service: CollectedService): string {
  return JSON.stringify(service)
}

function withoutPassword({ source }: CollectedService, text: string): string {
  const password = 'password' in source ? source.password : undefined
  return password === undefined ? text : hidePassword(text, { password }, { shortest: 1 })
}
