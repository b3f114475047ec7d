import type { WorkMeter } from '../../core/concurrency/acting.ts'
import type { HeavyWorkLimits } from '../../core/config/request-limits.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { EventBus } from '../../core/events/events.ts'
import { networkOf } from '../../core/network/addresses.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { App } from '../app-types.ts'
import { requestOwner } from '../request-properties.ts'

/** Kind of client whose work is counted. */
type Client = 'address' | 'user'

/** Heavy work of one client that its budget has not repaid yet. */
interface Debt {
  seconds: number
  /** Milliseconds of the clock for which `seconds` is true. */
  at: number
}

/** Number of clients with work; the one whose last work is the longest ago is forgotten first. */
const maxClients = 20_000
const hourMs = 3_600_000

/**
 * Counts the heavy work of each client against a budget: an hour's seconds, which come back evenly within an
 * hour. IPv6 addresses count by their /64 network. Each server counts its own work.
 */
export class HeavyWork implements WorkMeter {
  readonly #limits: Readonly<Record<Client, number>>
  readonly #clock: Clock
  readonly #events: Pick<EventBus, 'emit'>
  /** By client, the one with the latest work last. */
  readonly #debts = new Map<string, Debt>()

  constructor(
    { addressSeconds, userSeconds }: HeavyWorkLimits,
    { clock, events }: { clock: Clock; events: Pick<EventBus, 'emit'> },
  ) {
    this.#limits = { address: addressSeconds, user: userSeconds }
    this.#clock = clock
    this.#events = events
  }

  add(owner: string, seconds: number): void {
    const { client, key } = clientOf(owner)
    this.#events.emit('heavy-work.ended', { client, seconds })
    if (this.#limits[client] === 0) return
    const debt = { seconds: this.#secondsOf(client, key) + seconds, at: this.#clock.now().getTime() }
    this.#debts.delete(key)
    this.#debts.set(key, debt)
    if (this.#debts.size > maxClients) this.#debts.delete(this.#debts.keys().next().value ?? '')
  }

  /** Throws `Failure` (429 `too-much-work`) if the client has used up its budget. */
  require(owner: string): void {
    const { client, key } = clientOf(owner)
    const limit = this.#limits[client]
    if (limit === 0) return
    const excess = this.#secondsOf(client, key) - limit
    if (excess <= 0) return
    this.#events.emit('heavy-work.refused', { client })
    throw tooMuchWork(client, limit, Math.max(1, Math.ceil((excess * hourMs) / limit / 1000)))
  }

  #secondsOf(client: Client, key: string): number {
    const debt = this.#debts.get(key)
    if (debt === undefined) return 0
    const repaid = ((this.#clock.now().getTime() - debt.at) / hourMs) * this.#limits[client]
    return Math.max(0, debt.seconds - repaid)
  }
}

const addressPrefix = 'address '

function clientOf(owner: string): { client: Client; key: string } {
  if (!owner.startsWith(addressPrefix)) return { client: 'user', key: owner }
  return { client: 'address', key: addressPrefix + networkOf(owner.slice(addressPrefix.length)) }
}

function tooMuchWork(client: Client, limit: number, retryAfterSeconds: number): Failure {
  const [who, setting] =
    client === 'address'
      ? ['Your address', 'TERRANE_MAX_ADDRESS_WORK']
      : ['This user', 'TERRANE_MAX_USER_WORK']
  return new Failure(
    'tooMany',
    'too-much-work',
    `${who} has used up its ${limit} seconds of heavy work per hour (${setting}): try again in ${retryAfterSeconds} s; tiles and documents go on`,
    { retryAfterSeconds },
  )
}

/**
 * Refuses requests for heavy work whose client has used up its budget: operations with the mark `isHeavy`, and those
 * that call `requireHeavyWork` because only their parameters tell.
 */
export function limitHeavyWork(app: App, work: Pick<HeavyWork, 'require'>): void {
  app.decorateRequest('requireHeavyWork', function requireHeavyWork() {
    work.require(requestOwner(this))
  })
  app.addHook('preHandler', (request, _reply, done) => {
    const { isHeavy = false } = request.routeOptions.config
    if (typeof isHeavy === 'function' ? isHeavy(request) : isHeavy) request.requireHeavyWork()
    done()
  })
}
