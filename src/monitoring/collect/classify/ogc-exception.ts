import type { RequestEventType } from '../../model/event-types.ts'
import { isOws } from '../../model/event-types.ts'

/** Class of an exception that a map server reported in a document, whatever the HTTP status. */
export const serviceException = 'ServiceException'

export interface OwsAnswer {
  /** Null for an OGC service without an event type. */
  eventType: RequestEventType | null
  operation?: string | undefined
  status: number
  contentType?: string | null | undefined
}

const exceptionType = /^application\/vnd\.ogc\.se[_+]/i
const xmlType = /^(?:text|application)\/xml(?:\s*;|\s*$)/i
/** Operations whose response is an image. */
const pictures = ['getmap', 'map', 'getlegendgraphic', 'gettile']

/**
 * True if the response to an OGC request is an exception document: by a content type that only such documents
 * have, or by XML if an image was requested or the status is 4xx.
 */
export function isServiceException({ eventType, operation, status, contentType }: OwsAnswer): boolean {
  if (contentType == null) return false
  if (exceptionType.test(contentType)) return true
  if (eventType !== null && !isOws(eventType)) return false
  const isRefused = status >= 400 && status < 500
  return xmlType.test(contentType) && (isRefused || pictures.includes(operation?.toLowerCase() ?? ''))
}
