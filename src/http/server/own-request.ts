import { digestOf } from '../../accounts/secret-texts.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { defined } from '../../lib/defined.ts'
import { isServiceException, serviceException } from '../../monitoring/collect/classify/ogc-exception.ts'
import { describeException } from '../../monitoring/collect/own/describe-exception.ts'
import type { OwnException, OwnRequest } from '../../monitoring/collect/own/own-request.ts'
import type { OwnEventType } from '../../monitoring/model/event-types.ts'
import type { UsedResource } from '../../monitoring/series/request-event.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { readCredentials } from '../auth/credentials.ts'
import { referencePath } from './openapi.ts'
import { usedLayerNames } from './used-layers.ts'

/** What monitoring is told of a request, with when it began and how it ended. */
export function toOwnRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  ending: Pick<OwnRequest, 'created' | 'status' | 'sizeBytes' | 'milliseconds'>,
): OwnRequest {
  const { method, caller, headers, routeOptions } = request
  const layers = usedLayerNames(request)
  const isTile = request.usedTile === true || routeOptions.config?.isTile === true
  const eventType = eventTypeOf(request, routeOptions)
  const path = isTile ? tilePath(request, routeOptions, layers) : pathOf(request)
  const contentType = textOf(reply.getHeader('content-type'))
  const exception = exceptionOf(request, { ...ending, path, eventType, contentType })
  return {
    service: eventType.startsWith('OWS:') ? 'mapserver' : 'app',
    ...{ ...ending, eventType, method, path, contentType },
    host: headers.host ?? '',
    userAgent: headers['user-agent'],
    referer: headers.referer,
    clientIp: request.ip,
    session: caller?.by === 'session' ? sessionOf(request) : undefined,
    userName: caller?.name,
    resources: resourcesOf(request, routeOptions, layers),
    ...(isTile ? { isCountedOnly: true } : {}),
    ...(exception === undefined ? {} : defined({ exception, errorType: exception.type })),
  }
}

/** Made anew each time that a request is asked for it. */
type RouteOptions = FastifyRequest['routeOptions']

/** A layer says itself what it is asked for; elsewhere the endpoint does. */
function eventTypeOf({ usedLayer, usedService }: FastifyRequest, routeOptions: RouteOptions): OwnEventType {
  if (usedService !== undefined) return usedService
  const countsAs = routeOptions.config?.countsAs
  if (countsAs === 'OWS:WFS' && usedLayer?.details.kind === 'raster') return 'OWS:WCS'
  return countsAs === undefined || countsAs === 'unrecorded' ? 'view' : countsAs
}

function exceptionOf(
  { exception, method }: FastifyRequest,
  answer: Pick<OwnRequest, 'eventType' | 'status' | 'contentType' | 'path'>,
): OwnException | undefined {
  if (exception !== undefined) return describeException(exception)
  if (!isServiceException(answer)) return undefined
  const message = `${method} ${answer.path} was answered with ${answer.status} and an exception document`
  return { type: serviceException, message, stack: message }
}

/** Without the query. */
function pathOf({ originalUrl }: FastifyRequest): string {
  return originalUrl.split('?', 1)[0] ?? ''
}

/** By route and layers; both are few. */
const tilePaths = new BoundedCache<string, string>(1000)

/** The route of a tile with the layers filled in, so that there are no more paths than layers. */
function tilePath({ server }: FastifyRequest, { url }: RouteOptions, layers: readonly string[]): string {
  const route = `${server.basePath}${url}`
  return tilePaths.get(`${route}\n${layers.join(',')}`, () => fillIn(route, layers.join(',')))
}

function fillIn(route: string, layers: string): string {
  const template = route.replace(/:(\w+)/g, '{$1}')
  return layers === '' ? template : template.replace(/\{(?:layers?|collectionId)\}/, () => layers)
}

function resourcesOf(
  { usedStyle }: FastifyRequest,
  routeOptions: RouteOptions,
  layers: readonly string[],
): UsedResource[] {
  if (layers.length > 0) return layers.map((name) => ({ type: 'layer', name }))
  if (usedStyle !== undefined) {
    const { workspace, name } = usedStyle
    return [{ type: 'style', name: workspace === undefined ? name : `${workspace}:${name}` }]
  }
  return routeOptions.url === referencePath ? [{ type: 'url', name: referencePath }] : []
}

function sessionOf({ headers: { cookie = '' } }: FastifyRequest): string | undefined {
  const credentials = readCredentials({ cookie })
  return credentials?.kind === 'session' ? digestOf(credentials.id) : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
