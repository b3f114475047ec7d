import type { GeoLocation, RequestEvent, RequestFacts } from '../../series/request-event.ts'

/**
 * A request as its source reports it. Its address and session must not be stored: `Classifier` converts it to
 * an event.
 */
export interface RawRequest extends RequestFacts {
  /** Undefined if the source does not report it. */
  milliseconds: number | undefined
  /** Time until the first byte of the response was sent. */
  firstByteMilliseconds?: number | undefined
  contentType?: string | undefined
  /** Operation of an OGC request, such as `GetMap`. */
  operation?: string | undefined
  /** Path and query as they were sent; they must not be stored. Default: the path alone. */
  target?: string | undefined
  userAgent?: string | undefined
  /** The whole address; anything else than an IPv4 or IPv6 address counts as none. */
  clientIp?: string | undefined
  /** Address of the page that led to the request. */
  referer?: string | undefined
  /** Digest of a session that the user is logged in by. */
  session?: string | undefined
  /** Login name. */
  userName?: string | undefined
  /** Class of the exception that the request ended with. */
  errorType?: string | undefined
  /** Location from the source; if absent, determined from the address. */
  place?: Partial<GeoLocation> | undefined
}

/** Makes what may be stored of requests: families of user agents, places, visitors, and no more of an address than is allowed. */
export interface Classifier {
  /** Returns one event per request, in the same order. */
  classify(requests: readonly RawRequest[]): Promise<RequestEvent[]>
  /** A message or stack of an exception as it may be stored. */
  scrub(text: string): string
}
