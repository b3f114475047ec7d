import type { OwnEventType } from '../../model/event-types.ts'
import type { UsedResource } from '../../series/request-event.ts'

/** What a request of this server ended with; texts are cut already. */
export interface OwnException {
  type: string
  message: string
  stack: string
}

/** Facts of one request to this server, gathered by its HTTP side. */
export interface OwnRequest {
  /** The service that it counts for. */
  service: 'app' | 'mapserver'
  /** Milliseconds since 1970, when it began. */
  created: number
  eventType: OwnEventType
  method: string
  /** Without the query string. */
  path: string
  /** Path and query as they were sent, of a request that may look at a place; it is not stored. */
  target?: string | undefined
  /** Of an OGC request that was sent as a body, such as `GetFeature`. */
  operation?: string | undefined
  host: string
  status: number
  sizeBytes: number
  milliseconds: number
  /** Until the first byte of the answer was sent; undefined where none was. */
  firstByteMilliseconds?: number | undefined
  contentType: string | undefined
  userAgent: string | undefined
  referer?: string | undefined
  clientIp: string
  session: string | undefined
  userName: string | undefined
  resources: UsedResource[]
  /** Whether one of the server's own pages made it. */
  isOfPages?: boolean
  /** As `RequestFacts.isCountedOnly`. */
  isCountedOnly?: boolean
  /** Class of the exception that it ended with. */
  errorType?: string
  exception?: OwnException
}

/** An exception that no request ended with, such as that of a job. */
export interface LoneException extends OwnException {
  created: number
}
