import { digestOf } from '../accounts/secret-texts.ts'
import type { LayerRecord, StyleRecord } from '../catalog/records.ts'
import { isServiceException, serviceException } from '../monitoring/collect/classify/ogc-exception.ts'
import { describeException } from '../monitoring/collect/own/describe-exception.ts'
import type { OwnException, OwnRequest } from '../monitoring/collect/own/own-request.ts'
import type { OwnEventType } from '../monitoring/model/event-types.ts'
import type { Monitoring } from '../monitoring/monitoring.ts'
import type { UsedResource } from '../monitoring/series/request-event.ts'
import type { App, FastifyReply, FastifyRequest, HttpContext } from './app-types.ts'
import { readCredentials } from './auth/credentials.ts'
import { bodyBytes } from './finished-request.ts'
import { findUsage, isRecorded } from './usage.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The published layer that the request turned out to be about. */
    usedLayer: Pick<LayerRecord, 'workspace' | 'name' | 'details'> | undefined
    usedStyle: Pick<StyleRecord, 'workspace' | 'name'> | undefined
    /** What made the answer a 5xx. */
    exception: unknown
  }
}

/** Takes requests, and tells when they began. */
interface Recording extends Pick<HttpContext, 'clock'> {
  monitoring?: Pick<Monitoring, 'record'>
}

/** Of a request whose client went away before there was an answer. */
const clientGone = 499
const tableOfUsages = new Map<string, OwnEventType | undefined>()

/** Hands the facts of each request to monitoring when its answer is sent, or when its client has gone. */
export function recordRequests(app: App, context: Recording): void {
  app.decorateRequest('usedLayer')
  app.decorateRequest('usedStyle')
  app.decorateRequest('exception')
  app.addHook('onRequest', (request, reply, done) => {
    recordRequest(context, request, reply)
    done()
  })
}

/** For one request that hooks do not see. */
export function recordRequest(
  { monitoring, clock }: Recording,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (monitoring === undefined || !isRecorded(request.url)) return
  const created = clock.now().getTime()
  reply.raw.once('close', () => monitoring.record(describeRequest(request, reply, created)))
}

function describeRequest(request: FastifyRequest, reply: FastifyReply, created: number): OwnRequest {
  const { method, caller, headers } = request
  const route = request.routeOptions.url ?? ''
  const { headersSent } = reply.raw
  const status = headersSent ? reply.statusCode : clientGone
  const eventType = eventTypeOf(request, route)
  const contentType = textOf(reply.getHeader('content-type'))
  const path = withoutQuery(request.originalUrl)
  const exception =
    describeFailure(request) ??
    (isServiceException({ eventType, status, contentType })
      ? toldException(`${method} ${path} was answered with ${status} and an exception document`)
      : undefined)
  return {
    service: route === '/ogc' || route.startsWith('/ogc/') ? 'mapserver' : 'app',
    created,
    eventType,
    method,
    path,
    host: headers.host ?? '',
    status,
    sizeBytes: headersSent ? bodyBytes(request, reply) : 0,
    milliseconds: reply.elapsedTime,
    contentType,
    userAgent: headers['user-agent'],
    referer: headers.referer,
    clientIp: request.ip,
    session: caller?.by === 'session' ? sessionOf(request) : undefined,
    userName: caller?.name,
    resources: resourcesOf(request, route),
    ...(exception === undefined ? {} : { exception, errorType: exception.type }),
  }
}

function eventTypeOf({ method, usedLayer, routeOptions }: FastifyRequest, route: string): OwnEventType {
  if (route.startsWith('/ogc/') && usedLayer?.details.kind === 'raster') return 'OWS:WCS'
  const countsAs = routeOptions.config?.countsAs
  if (countsAs !== undefined && countsAs !== 'unrecorded') return countsAs
  const key = `${method} ${route}`
  if (!tableOfUsages.has(key)) tableOfUsages.set(key, findUsage(route, method))
  return tableOfUsages.get(key) ?? 'view'
}

function resourcesOf({ usedLayer, usedStyle }: FastifyRequest, route: string): UsedResource[] {
  if (usedLayer !== undefined) return [{ type: 'layer', name: `${usedLayer.workspace}:${usedLayer.name}` }]
  if (usedStyle !== undefined) {
    const { workspace, name } = usedStyle
    return [{ type: 'style', name: workspace === undefined ? name : `${workspace}:${name}` }]
  }
  return route === '/docs' ? [{ type: 'url', name: route }] : []
}

function describeFailure({ exception }: FastifyRequest): OwnException | undefined {
  return exception === undefined ? undefined : describeException(exception)
}

function toldException(message: string): OwnException {
  return { type: serviceException, message, stack: message }
}

function sessionOf({ headers: { cookie = '' } }: FastifyRequest): string | undefined {
  const credentials = readCredentials({ cookie })
  return credentials?.kind === 'session' ? digestOf(credentials.id) : undefined
}

function withoutQuery(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
