import { Socket } from 'node:net'
import type { ConnectionLimits } from '../../core/config/request-limits.ts'
import { Failure } from '../../core/errors/errors.ts'
import { networkOf } from '../../core/network/addresses.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'

interface PendingRequest {
  socket: Socket
  reply: FastifyReply
  proceed: (error?: Failure) => void
  /** Deadline, in milliseconds of `performance.now()`. */
  until: number
}

/** Running requests and unsent bytes of one client address. */
interface AddressLoad {
  /** Connections with a running request. */
  answering: Set<Socket>
  /** Oldest first. */
  waiting: PendingRequest[]
}

/** Longest wait of a request for other requests of its address. */
const maxWaitMs = 30_000
const checkMs = 1000
/** Health checks are never limited. */
const unlimitedPaths = new Set(['/health', '/health/live', '/health/ready'])

/**
 * Limits the running requests of one client address, and the response bytes that its clients have not read. A
 * request beyond the limits waits, and is refused with 429 `too-many-requests` after 30 s.
 *
 * The address is `request.ip`: behind a trusted proxy the one that the proxy names. IPv6 addresses count by
 * their /64 network. Event streams do not count once they have begun.
 */
export function limitAddresses(
  app: App,
  limits: Pick<ConnectionLimits, 'addressRequests' | 'addressUnsentBytes'>,
): void {
  const queue = new AddressQueue(limits)
  app.addHook('onRequest', (request: FastifyRequest, reply, proceed) => {
    const { socket } = request.raw
    if (!(socket instanceof Socket) || unlimitedPaths.has(request.routeOptions.url ?? '')) return proceed()
    queue.add(networkOf(request.ip), { socket, reply, proceed, until: performance.now() + maxWaitMs })
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (String(reply.getHeader('content-type')).startsWith('text/event-stream'))
      queue.release(networkOf(request.ip), request.raw.socket)
    done(null, payload)
  })
  const check = setInterval(() => queue.check(), checkMs)
  check.unref()
  app.addHook('onClose', (_app, done) => {
    clearInterval(check)
    done()
  })
}

class AddressQueue {
  readonly #limits: Pick<ConnectionLimits, 'addressRequests' | 'addressUnsentBytes'>
  readonly #loads = new Map<string, AddressLoad>()

  constructor(limits: Pick<ConnectionLimits, 'addressRequests' | 'addressUnsentBytes'>) {
    this.#limits = limits
  }

  /** Starts a request, or lets it wait for others of its address. */
  add(address: string, request: PendingRequest): void {
    const load = this.#loads.get(address) ?? { answering: new Set(), waiting: [] }
    this.#loads.set(address, load)
    if (load.waiting.length > 0 || !this.#hasRoom(load)) load.waiting.push(request)
    else this.#start(address, load, request)
  }

  /** Starts waiting requests that now fit. */
  release(address: string, socket: Socket): void {
    const load = this.#loads.get(address)
    if (load?.answering.delete(socket) === true) this.#admit(address, load)
  }

  /** Refuses requests that waited too long, and starts others: clients have read meanwhile. */
  check(): void {
    const now = performance.now()
    for (const [address, load] of this.#loads) {
      const late = load.waiting.filter(({ until }) => until <= now)
      load.waiting = load.waiting.filter(({ socket, until }) => until > now && !socket.destroyed)
      for (const { proceed } of late) proceed(tooManyRequests())
      this.#admit(address, load)
    }
  }

  #hasRoom({ answering }: AddressLoad): boolean {
    const { addressRequests, addressUnsentBytes } = this.#limits
    return answering.size < addressRequests && unsentBytes(answering) < addressUnsentBytes
  }

  #start(address: string, load: AddressLoad, { socket, reply, proceed }: PendingRequest): void {
    load.answering.add(socket)
    reply.raw.once('close', () => this.release(address, socket))
    proceed()
  }

  #admit(address: string, load: AddressLoad): void {
    while (load.waiting.length > 0 && this.#hasRoom(load)) {
      const next = load.waiting.shift()
      if (next !== undefined && !next.socket.destroyed) this.#start(address, load, next)
    }
    if (load.answering.size === 0 && load.waiting.length === 0) this.#loads.delete(address)
  }
}

function unsentBytes(sockets: Iterable<Socket>): number {
  let bytes = 0
  for (const { writableLength } of sockets) bytes += writableLength
  return bytes
}

function tooManyRequests(): Failure {
  return new Failure(
    'tooMany',
    'too-many-requests',
    'Too many unfinished responses to your address: read their bodies before sending more requests',
    { retryAfterSeconds: 5 },
  )
}
