import type { OwnEventType } from '../../model/event-types.ts'
import { isOws } from '../../model/event-types.ts'

/** The class of an exception that a map server has told in a document, whatever its status. */
export const serviceException = 'ServiceException'

export interface OwsAnswer {
  /** Null for an OGC service that has no type of its own. */
  eventType: OwnEventType | null
  operation?: string | undefined
  status: number
  contentType?: string | null | undefined
}

const exceptionType = /^application\/vnd\.ogc\.se[_+]/i
const xmlType = /^(?:text|application)\/xml(?:\s*;|\s*$)/i
/** Operations that are answered with a picture. */
const pictures = ['getmap', 'map', 'getlegendgraphic', 'gettile']

/**
 * Whether the answer to an OGC request is an exception document: by a content type that such documents alone have, or
 * one of XML where a picture was asked for or the status is that of a client's mistake.
 */
export function isServiceException({ eventType, operation, status, contentType }: OwsAnswer): boolean {
  if (contentType == null) return false
  if (exceptionType.test(contentType)) return true
  if (eventType !== null && !isOws(eventType)) return false
  const isRefused = status >= 400 && status < 500
  return xmlType.test(contentType) && (isRefused || pictures.includes(operation?.toLowerCase() ?? ''))
}
