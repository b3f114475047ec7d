import { ownValue } from '../../../core/values/record-keys.ts'
import type { RequestEventType, UsageClass } from '../../model/event-types.ts'
import type { UsedResource } from '../../series/request-event.ts'

/** Request fields that determine the usage class. */
export interface ClassifiedRequest {
  eventType: RequestEventType | null
  method: string
  /** Without the query, as it was sent. */
  path: string
  /** Operation of an OGC request, such as `GetMap`. */
  operation: string | undefined
  resources: readonly UsedResource[]
  isTile: boolean
}

const operations: Record<string, UsageClass> = {
  getmap: 'maps',
  gettile: 'tiles',
  getfeatureinfo: 'features',
  getfeature: 'features',
  getfeaturewithlock: 'features',
  getpropertyvalue: 'features',
  getgmlobject: 'features',
  getcoverage: 'features',
  transaction: 'imports',
  lockfeature: 'imports',
}

const events: Partial<Record<RequestEventType, UsageClass>> = {
  download: 'downloads',
  'OWS:WPS': 'other',
  mapserver: 'other',
  create: 'imports',
  upload: 'imports',
  change: 'imports',
  publish: 'imports',
  remove: 'imports',
  view_metadata: 'metadata',
  change_metadata: 'metadata',
}

const safeMethods = ['GET', 'HEAD', 'OPTIONS']
const dataPath = /\/collections\/[^/]+\/(?:items|coverage|granules)(?:\/|$)/i
const mapPath = /\/collections\/[^/]+(?:\/styles\/[^/]+)?\/map$/i
/** A part of a file is neither a download nor a separate use. */
const filePath =
  /(?:\/collections\/[^/]+\/(?:download|file\/[^/]+|granules\/[^/]+\/file\/[^/]+)|\/downloads\/[^/]+(?:\/file)?)$/i
const recordsPath = /\/(?:catalogue|stac)\/collections\//i

/** Returns the usage class of a request. */
export function usageClassOf(request: ClassifiedRequest): UsageClass {
  const { eventType, operation, path, resources, isTile } = request
  const byEvent = eventType === null ? 'metadata' : events[eventType]
  if (byEvent !== undefined) return byEvent
  if (filePath.test(path)) return 'other'
  if (eventType === 'view') return resources.some(({ type }) => type === 'layer') ? 'metadata' : 'other'
  if (isTile) return 'tiles'
  if (operation === undefined) return classOfPath(request)
  const name = operation.toLowerCase()
  // Tile caches accept GetMap for tiles.
  if (eventType === 'OWS:WMS-C' && name === 'getmap') return 'tiles'
  return ownValue(operations, name) ?? 'metadata'
}

function classOfPath({ method, path }: ClassifiedRequest): UsageClass {
  if (mapPath.test(path)) return 'maps'
  if (!dataPath.test(path) || recordsPath.test(path)) return 'metadata'
  return safeMethods.includes(method) ? 'features' : 'imports'
}
