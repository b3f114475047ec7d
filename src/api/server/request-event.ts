import { type Caller, digestSecret } from '../../access/index.ts'
import { BoundedCache } from '../../core/caches/bounded-cache.ts'
import {
  describeException,
  isServiceException,
  type ServerException,
  type ServerRequest,
  serviceException,
  type UsedResource,
} from '../../monitoring/index.ts'
import { isOws, type RequestEventType } from '../../monitoring/query/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { readCredentials } from '../auth/credentials.ts'
import { withoutUrlToken } from '../url-token.ts'
import { referencePath } from './openapi.ts'
import { isOfPages } from './pages-traffic.ts'
import { usedLayerNames, usedLayersOf } from './used-layers.ts'

/** A request that has ended: when it began, who made it from where, and how it ended. */
export type EndedRequest = Pick<
  ServerRequest,
  'created' | 'status' | 'sizeBytes' | 'milliseconds' | 'firstByteMilliseconds' | 'clientIp'
>

/** Returns the record that monitoring receives for a completed request. */
export function toRequestEvent(
  request: FastifyRequest,
  reply: FastifyReply,
  { caller, ...ending }: EndedRequest & { caller: Caller },
): ServerRequest {
  const { method, headers, routeOptions } = request
  const layers = usedLayerNames(request)
  const isTile = request.usedTile === true || routeOptions.config?.isTile === true
  const routeType = routeTypeOf(request, routeOptions)
  const eventType = eventTypeOf(request, reply, { routeType, status: ending.status })
  const path = isTile ? tilePath(request, routeOptions, layers) : pathOf(request)
  const contentType = textOf(reply.getHeader('content-type'))
  const exception = exceptionOf(request, { ...ending, path, eventType, contentType })
  return {
    service: isOws(routeType) ? 'mapserver' : 'app',
    ...ending,
    eventType,
    method,
    path,
    contentType,
    host: headers.host ?? '',
    userAgent: headers['user-agent'],
    referer: headers.referer,
    session: caller.by === 'session' ? sessionOf(request) : undefined,
    userName: caller.name,
    resources: resourcesOf(request, routeOptions),
    ...(layers.length > 0
      ? { target: withoutUrlToken(request.originalUrl), operation: request.usedOperation }
      : {}),
    isCountedOnly: isTile || undefined,
    isOfPages: isOfPages(request) ? true : undefined,
    ...(exception === undefined ? {} : { exception, errorType: exception.type }),
  }
}

/** Fastify creates it anew on each access. */
type RouteOptions = FastifyRequest['routeOptions']

/** A complete delivery of a layer's file is a download; a part of it, or no response, is not. */
function eventTypeOf(
  { method, usedFile }: FastifyRequest,
  reply: FastifyReply,
  { routeType, status }: { routeType: RequestEventType; status: number },
): RequestEventType {
  if (!usedFile && routeType !== 'download') return routeType
  const isWhole = status === 200 || (status === 206 && isWholeRange(reply.getHeader('content-range')))
  if (method === 'GET' && isWhole) return 'download'
  return routeType === 'download' ? 'view' : routeType
}

/** True if `Content-Range` (RFC 9110, section 14.4) covers the whole file. */
function isWholeRange(header: unknown): boolean {
  const [, last, size] = /^bytes 0-(\d+)\/(\d+)$/.exec(String(header)) ?? []
  return last !== undefined && Number(last) + 1 === Number(size)
}

/** The layer type determines the event type; without a layer the endpoint does. */
function routeTypeOf(
  { usedLayer, usedService }: FastifyRequest,
  routeOptions: RouteOptions,
): RequestEventType {
  if (usedService !== undefined) return usedService
  const countsAs = routeOptions.config?.countsAs
  if (countsAs === 'OWS:WFS' && usedLayer?.details.kind === 'raster') return 'OWS:WCS'
  return countsAs === undefined || countsAs === 'unrecorded' ? 'view' : countsAs
}

function exceptionOf(
  { exception, method }: FastifyRequest,
  answer: Pick<ServerRequest, 'eventType' | 'status' | 'contentType' | 'path'>,
): ServerException | undefined {
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

function resourcesOf(request: FastifyRequest, routeOptions: RouteOptions): UsedResource[] {
  const { usedStyle } = request
  const layers = usedLayersOf(request)
  if (layers.length > 0)
    return layers.map(({ workspace, name, details }) => ({
      type: 'layer',
      name: `${workspace}:${name}`,
      owner: details.owner === '' ? undefined : details.owner,
    }))
  if (usedStyle !== undefined) {
    const { workspace, name } = usedStyle
    return [{ type: 'style', name: workspace === undefined ? name : `${workspace}:${name}` }]
  }
  return routeOptions.url === referencePath ? [{ type: 'url', name: referencePath }] : []
}

function sessionOf({ headers: { cookie = '' } }: FastifyRequest): string | undefined {
  const credentials = readCredentials({ cookie })
  return credentials?.kind === 'session' ? digestSecret(credentials.id) : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
