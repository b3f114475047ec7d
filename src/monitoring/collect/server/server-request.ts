import type { RequestEventType } from '../../model/event-types.ts'
import type { UsedResource } from '../../series/request-event.ts'

/** Error of a request to this server; texts are already truncated. */
export interface ServerException {
  type: string
  message: string
  stack: string
}

/** Facts of one request to this server, collected by the HTTP layer. */
export interface ServerRequest {
  /** The service for which it counts. */
  service: 'app' | 'mapserver'
  /** Start of the request, in milliseconds since 1970. */
  created: number
  eventType: RequestEventType
  method: string
  /** Without the query string. */
  path: string
  /** Path and query as sent, for requests that may have a location; not stored. */
  target?: string | undefined
  /** Operation of an OGC request with a body, such as `GetFeature`. */
  operation?: string | undefined
  host: string
  status: number
  sizeBytes: number
  milliseconds: number
  /** Time until the first byte of the response was sent; undefined if there was none. */
  firstByteMilliseconds?: number | undefined
  contentType: string | undefined
  userAgent: string | undefined
  referer?: string | undefined
  clientIp: string
  session: string | undefined
  userName: string | undefined
  resources: UsedResource[]
  /** True if one of the server's own pages sent it. */
  isOfPages?: boolean
  /** See `RequestFacts.isCountedOnly`. */
  isCountedOnly?: boolean
  /** Class of the exception with which it ended. */
  errorType?: string
  exception?: ServerException
}

/** An exception outside of requests, such as that of a job. */
export interface LoneException extends ServerException {
  created: number
}
