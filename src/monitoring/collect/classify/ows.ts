import { ownValue } from '../../../core/values/record-keys.ts'
import type { RequestEventType } from '../../model/event-types.ts'
import { readOwsBody } from './ows-body.ts'
import type { OwsParameters } from './ows-parameters.ts'
import { readOwsParameters } from './ows-parameters.ts'
import { classifyOwsPath } from './ows-paths.ts'

/** Operation and layers of an OGC request. */
export interface OwsUse {
  /** Null for a service without an event type, such as CSW. */
  eventType: RequestEventType | null
  /** As written, such as `GetMap`; absent if unknown. */
  operation?: string
  /** Without duplicates, as named in the request, with workspace if given. */
  layers: string[]
}

const services: Record<string, RequestEventType | null> = {
  wms: 'OWS:WMS',
  'wms-c': 'OWS:WMS-C',
  wmsc: 'OWS:WMS-C',
  wmts: 'OWS:WMTS',
  tms: 'OWS:TMS',
  wfs: 'OWS:WFS',
  wcs: 'OWS:WCS',
  wps: 'OWS:WPS',
  csw: null,
}

const operations: Record<string, RequestEventType> = {
  getmap: 'OWS:WMS',
  getfeatureinfo: 'OWS:WMS',
  getlegendgraphic: 'OWS:WMS',
  getstyles: 'OWS:WMS',
  describelayer: 'OWS:WMS',
  gettile: 'OWS:WMTS',
  getfeature: 'OWS:WFS',
  getfeaturewithlock: 'OWS:WFS',
  getgmlobject: 'OWS:WFS',
  getpropertyvalue: 'OWS:WFS',
  describefeaturetype: 'OWS:WFS',
  lockfeature: 'OWS:WFS',
  transaction: 'OWS:WFS',
  liststoredqueries: 'OWS:WFS',
  describestoredqueries: 'OWS:WFS',
  createstoredquery: 'OWS:WFS',
  dropstoredquery: 'OWS:WFS',
  getcoverage: 'OWS:WCS',
  describecoverage: 'OWS:WCS',
  execute: 'OWS:WPS',
  describeprocess: 'OWS:WPS',
  getexecutionstatus: 'OWS:WPS',
  dismiss: 'OWS:WPS',
}

const maxLayers = 100
const maxNameLength = 255
const maxOperationLength = 50

/**
 * Recognizes an OGC request by its parameters, the root element of its body, or the path of a tile; undefined
 * for other requests. `path` and `query` are encoded, as sent by the client; `body` may be truncated.
 */
export function classifyOws(path: string, query: string, body = ''): OwsUse | undefined {
  const byPath = classifyOwsPath(path)
  const parameters = query === '' ? {} : readOwsParameters(query)
  const inBody = body === '' ? undefined : readOwsBody(body)
  const service = parameters.service ?? inBody?.service
  const operation = (inBody?.operation ?? parameters.request)?.slice(0, maxOperationLength)
  const byName = typeOf(service, operation)
  if (byName === undefined && byPath === undefined) return undefined
  const eventType = preferCached(byName, byPath?.eventType)
  const names = [...namesOf(parameters, eventType), ...(inBody?.layers ?? [])]
  if (byPath?.layer !== undefined) names.push(byPath.layer)
  return { eventType, operation, layers: cleaned(names) }
}

function typeOf(
  service: string | undefined,
  operation: string | undefined,
): RequestEventType | null | undefined {
  const requested = service?.toLowerCase() ?? ''
  if (Object.hasOwn(services, requested)) return ownValue(services, requested)
  const requestedItem = operation?.toLowerCase() ?? ''
  return service === undefined ? ownValue(operations, requestedItem) : undefined
}

/**
 * A path of a tile cache is more specific than `service=WMS`; otherwise parameters are more specific than the
 * path.
 */
function preferCached(
  byName: RequestEventType | null | undefined,
  byPath: RequestEventType | undefined,
): RequestEventType | null {
  if (byPath === 'OWS:WMS-C' && byName === 'OWS:WMS') return byPath
  return byName === undefined ? (byPath ?? null) : byName
}

function namesOf(parameters: OwsParameters, eventType: RequestEventType | null): string[] {
  const { layers, query_layers, layer, typename, typenames, coverage, coverageid } = parameters
  const names: string[] = []
  for (const list of [layers, query_layers, layer, typename, typenames, coverage])
    if (list !== undefined) names.push(...splitNames(list))
  if (coverageid !== undefined) names.push(...splitNames(coverageid).map(withColon))
  if (eventType !== 'OWS:WCS') return names
  const { identifier, identifiers } = parameters
  for (const list of [identifier, identifiers]) if (list !== undefined) names.push(...splitNames(list))
  return names
}

/** Lists are separated by commas; join lists are enclosed in parentheses. */
function splitNames(list: string): string[] {
  return list.split(/[,()]/, maxLayers)
}

/** Ids of coverages cannot have a colon: GeoServer writes two underscores. */
function withColon(id: string): string {
  return id.includes(':') ? id : id.replace('__', ':')
}

const control = /\p{Cc}/u

function cleaned(names: string[]): string[] {
  if (names.length === 0) return names
  const clean = new Set<string>()
  for (const name of names) {
    const plain = control.test(name) ? name.replace(/\p{Cc}/gu, '') : name
    const one = plain.trim().slice(0, maxNameLength)
    if (one !== '') clean.add(one)
    if (clean.size === maxLayers) break
  }
  return [...clean]
}
