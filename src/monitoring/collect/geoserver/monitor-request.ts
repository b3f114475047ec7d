import type { RequestEventType } from '../../model/event-types.ts'
import { eventTypes } from '../../model/event-types.ts'
import { layerNamer, requestedLayers } from '../classify/layer-names.ts'
import { classifyOws } from '../classify/ows.ts'
import type { RawRequest } from '../classify/raw-request.ts'
import type { RequestData } from './request-data.ts'

/** The monitor reports paths below the base path of the server. */
const toName = layerNamer('geoserver', '')

/** Converts a record of the monitor to a request of its service. */
export function toRawRequest(data: RequestData, serviceId: number): RawRequest {
  const { eventType, layers } = useOf(data)
  return {
    serviceId,
    created: data.start,
    eventType,
    method: data.method,
    path: data.path,
    host: data.host,
    status: data.responseStatus,
    sizeBytes: data.sizeBytes,
    milliseconds: data.milliseconds,
    contentType: data.contentType || undefined,
    operation: data.operation || undefined,
    target: data.query === '' ? undefined : `${data.path}?${data.query}`,
    userAgent: data.userAgent || undefined,
    referer: data.referer || undefined,
    clientIp: data.clientIp || undefined,
    userName: data.userName || undefined,
    resources: requestedLayers(layers, (name) => toName(name, data.path)),
    errorType: errorTypeOf(data),
  }
}

function useOf({ service, path, query, resources }: RequestData): {
  eventType: RequestEventType | null
  layers: string[]
} {
  if (service === '' || isRest(service)) {
    const use = classifyOws(path, query)
    return { eventType: use === undefined ? 'mapserver' : use.eventType, layers: use?.layers ?? [] }
  }
  const name = `OWS:${service.toUpperCase()}`
  const eventType = ownTypes.find((type) => type === name) ?? null
  return { eventType, layers: eventType === null ? [] : resources }
}

/** True for the REST API, such as `RESTCONFIG`, which is not an OGC service. */
function isRest(service: string): boolean {
  return /^rest/i.test(service)
}

const ownTypes = eventTypes.filter(
  (type): type is RequestEventType => type !== 'all' && type !== 'other' && type !== 'OWS:ALL',
)

function errorTypeOf({ status, error, responseStatus }: RequestData): string | undefined {
  if (status === 'FAILED') return error?.type || (responseStatus >= 400 ? `HTTP ${responseStatus}` : 'FAILED')
  return responseStatus >= 500 ? `HTTP ${responseStatus}` : undefined
}
