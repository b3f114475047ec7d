import type { Events } from '../lib/events.ts'
import type { App, FastifyReply, FastifyRequest, HttpContext } from './app-types.ts'

const sentBefore = Symbol('bytes sent before')

declare module 'fastify' {
  interface FastifyRequest {
    [sentBefore]?: number
  }
}

/** Announces each request when it is answered. */
export function announceRequests(app: App, { events, log }: HttpContext): void {
  app.decorateRequest(sentBefore)
  app.addHook('onRequest', async (request) => {
    request[sentBefore] = bytesSent(request)
  })
  app.addHook('onResponse', async (request, reply) => {
    const fact = describeFinished(request, reply)
    events.emit('request.finished', fact)
    const { layers: _layers, ...facts } = fact
    log.debug({ requestId: request.id, ...facts }, 'request finished')
  })
}

function describeFinished(request: FastifyRequest, reply: FastifyReply): Events['request.finished'] {
  return {
    method: request.method,
    route: request.routeOptions.url ?? '',
    status: reply.statusCode,
    milliseconds: reply.elapsedTime,
    sizeBytes: bodyBytes(request, reply),
    layers: layersOf(request, reply),
  }
}

/** Of the body; of one whose length was not told beforehand, with its head. */
export function bodyBytes(request: FastifyRequest, reply: FastifyReply): number {
  if (request.method === 'HEAD' || reply.statusCode === 304) return 0
  const told = Number(reply.getHeader('content-length') ?? Number.NaN)
  return Number.isFinite(told) ? told : Math.max(0, bytesSent(request) - (request[sentBefore] ?? 0))
}

function bytesSent({ raw }: FastifyRequest): number {
  return raw.socket.bytesWritten ?? 0
}

/** The published layer that an answer is about, as `workspace:layer`. */
function layersOf({ usedLayer }: FastifyRequest, { statusCode }: FastifyReply): string[] {
  return usedLayer === undefined || statusCode >= 400 ? [] : [`${usedLayer.workspace}:${usedLayer.name}`]
}
