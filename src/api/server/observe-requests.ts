import { setTimeout } from 'node:timers/promises'
import type { Caller } from '../../access/index.ts'
import type { StyleRecord } from '../../catalog/index.ts'
import type { EventBus, Events } from '../../core/events/events.ts'
import type { Logger } from '../../core/log/logger.ts'
import { traceFields } from '../../core/telemetry/tracing.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Monitoring } from '../../monitoring/index.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { isPreflight } from './browser-safety.ts'
import type { CallerIdentification } from './identify-caller.ts'
import type { EndedRequest } from './request-event.ts'
import { toRequestEvent } from './request-event.ts'
import { usedLayerNames } from './used-layers.ts'

const sentBefore = Symbol('bytes sent before')

declare module 'fastify' {
  interface FastifyRequest {
    usedStyle: Pick<StyleRecord, 'workspace' | 'name'> | undefined
    /** Cause of a 5xx response. */
    exception: unknown
    [sentBefore]?: number
  }
}

/** Observers of requests. */
export interface Observers {
  /** Absent where it is off. */
  monitoring?: Pick<Monitoring, 'record'> | undefined
  events: EventBus
  clock: Clock
  log: Logger
  /** Returns the caller of a request, also if its client disconnected before the access check. */
  callerOf: CallerIdentification['callerOf']
}

/** Result of a request. */
interface Ending {
  status: number
  /** Size of the body; with the head if its length was not known beforehand. */
  sizeBytes: number
  milliseconds: number
}

/** Status of a request whose client disconnected before the response. */
const clientGone = 499

/**
 * Reports each request once, when its response is sent or its client has disconnected: an event and a log
 * line for each, and to monitoring those that it counts. The returned function does the same for a request
 * that hooks do not see.
 */
export function observeRequests(
  app: App,
  observers: Observers,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const isCounted = watchUncounted(app)
  const record = recorder(app, observers)
  const observe = (request: FastifyRequest, reply: FastifyReply): void => {
    const created = observers.clock.now().getTime()
    // With the connection goes what the request itself does not hold.
    const clientIp = request.ip
    const trace = traceFields()
    request[sentBefore] = bytesSent(request)
    let firstByteMilliseconds: number | undefined
    onFirstByte(reply, () => {
      firstByteMilliseconds = reply.elapsedTime
    })
    reply.raw.once('close', () => {
      const ending = endingOf(request, reply)
      const { routeOptions } = request
      announce(observers, request, { route: routeOptions.url ?? '', trace, ...ending })
      if (isCounted(request, routeOptions))
        record(request, reply, { created, clientIp, firstByteMilliseconds, ...ending })
    })
  }
  app.decorateRequest('usedLayer')
  app.decorateRequest('usedLayers')
  app.decorateRequest('usedOperation')
  app.decorateRequest('usedService')
  app.decorateRequest('usedTile', false)
  app.decorateRequest('usedFile', false)
  app.decorateRequest('usedStyle')
  app.decorateRequest('exception')
  app.decorateRequest(sentBefore)
  app.addHook('onRequest', (request, reply, done) => {
    observe(request, reply)
    done()
  })
  return observe
}

/** A server that stops waits so long for callers whose credentials are still being checked. */
const lastCallersMs = 2000

/** Passes ended requests to monitoring, immediately if the user is known. */
function recorder(app: App, { monitoring, callerOf }: Pick<Observers, 'monitoring' | 'callerOf'>) {
  const late = new Set<Promise<void>>()
  app.addHook('onClose', async () => {
    await Promise.race([Promise.all(late), setTimeout(lastCallersMs, undefined, { ref: false })])
  })
  return (request: FastifyRequest, reply: FastifyReply, ended: EndedRequest): void => {
    if (monitoring === undefined) return
    const tell = (caller: Caller): void =>
      monitoring.record(toRequestEvent(request, reply, { ...ended, caller }))
    const caller = callerOf(request)
    if (!(caller instanceof Promise)) {
      tell(caller)
      return
    }
    const telling = caller.then(tell).finally(() => late.delete(telling))
    late.add(telling)
  }
}

/**
 * Determines which requests count: paths without a route do, unless they are below one that does not. CORS
 * preflight requests do not count.
 */
function watchUncounted(
  app: App,
): (request: FastifyRequest, route: FastifyRequest['routeOptions']) => boolean {
  const uncounted = new Set<string>()
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.countsAs === 'unrecorded') uncounted.add(url.replace(/\/?\*?$/, '/'))
  })
  return (request, route) => {
    if (isPreflight(request)) return false
    if (route.url !== undefined) return route.config.countsAs !== 'unrecorded'
    const path = `${request.url.split('?', 1)[0]}/`
    return ![...uncounted].some((one) => path.startsWith(one))
  }
}

function endingOf(request: FastifyRequest, reply: FastifyReply): Ending {
  const { headersSent } = reply.raw
  return {
    status: headersSent ? reply.statusCode : clientGone,
    sizeBytes: headersSent ? bodyBytes(request, reply) : 0,
    milliseconds: reply.elapsedTime,
  }
}

function bodyBytes(request: FastifyRequest, reply: FastifyReply): number {
  if (request.method === 'HEAD' || reply.statusCode === 304) return 0
  const reported = Number(reply.getHeader('content-length') ?? Number.NaN)
  return Number.isFinite(reported) ? reported : Math.max(0, bytesSent(request) - (request[sentBefore] ?? 0))
}

function bytesSent({ raw }: FastifyRequest): number {
  return raw.socket.bytesWritten ?? 0
}

function announce(
  { events, log }: Pick<Observers, 'events' | 'log'>,
  request: FastifyRequest,
  { route, trace, ...ending }: Ending & { route: string; trace: object },
): void {
  const { method } = request
  const layers = ending.status < 400 ? usedLayerNames(request) : []
  const fact: Events['request.finished'] = { method, route, ...ending, layers }
  events.emit('request.finished', fact)
  log.debug({ requestId: request.id, method, route, ...ending, ...trace }, 'request finished')
}

/** Calls `note` once, just before the first bytes of the response are written. */
function onFirstByte({ raw }: FastifyReply, note: () => void): void {
  const { write, end } = raw
  let isBegun = false
  const begin = (): void => {
    if (isBegun) return
    isBegun = true
    note()
  }
  // The functions stay: others may have wrapped them meanwhile.
  Object.assign(raw, {
    write: (...parameters: unknown[]) => {
      begin()
      return Reflect.apply(write, raw, parameters)
    },
    end: (...parameters: unknown[]) => {
      begin()
      return Reflect.apply(end, raw, parameters)
    },
  })
}
