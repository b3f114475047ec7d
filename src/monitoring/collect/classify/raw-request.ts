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
  /** Path and query as sent, which must not be stored. Default: only the path. */
  target?: string | undefined
  userAgent?: string | undefined
  /** The complete address. Texts that are not IPv4 or IPv6 addresses are ignored. */
  clientIp?: string | undefined
  /** Address of the page that led to the request. */
  referer?: string | undefined
  /** Digest of the session of a logged-in user. */
  session?: string | undefined
  /** Login name. */
  userName?: string | undefined
  /** Class of the exception with which the request ended. */
  errorType?: string | undefined
  /** Location from the source; if absent, determined from the address. */
  place?: Partial<GeoLocation> | undefined
}

/**
 * Converts requests to data that may be stored: families of user agents, locations, pseudonyms of visitors,
 * and addresses reduced by the privacy setting.
 */
export interface Classifier {
  /** Returns one event per request, in the same order. */
  classify(requests: readonly RawRequest[]): Promise<RequestEvent[]>
  /** Returns the message or stack of an exception in the form that may be stored. */
  scrub(text: string): string
}
