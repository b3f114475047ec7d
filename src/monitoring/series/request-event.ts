import type { RequestEventType, UsageClass } from '../model/event-types.ts'
import type { ResourceType } from '../model/resource-types.ts'

export interface UsedResource {
  type: ResourceType
  /** Name of the resource; `workspace:name` for a layer. */
  name: string
  /** Owner of a layer, if the source knows it. */
  owner?: string
}

/** Location of an address. */
export interface GeoLocation {
  /** ISO 3166-1 alpha-3. */
  country: string | null
  region: string | null
  city: string | null
  latitude: number | null
  longitude: number | null
}

/** Facts of a request that every source reports. */
export interface RequestFacts {
  serviceId: number
  /** Start of the request in milliseconds since 1970, which determines the minute in which it counts. */
  created: number
  /** Null for an OGC request of a service without an event type, such as CSW. */
  eventType: RequestEventType | null
  method: string
  /** Stored without the query string. */
  path: string
  host: string
  status: number
  sizeBytes: number
  /** Used resources without duplicates. */
  resources: UsedResource[]
  /**
   * True if the request only counts in its minute and is then removed from the log, since there are too many
   * of its kind.
   */
  isCountedOnly?: boolean
}

/** One classified request, reduced by the privacy settings: all fields may be stored. */
export interface RequestEvent extends RequestFacts, GeoLocation {
  /** Null if the source does not report it: excluded from response.time. */
  milliseconds: number | null
  /** Time until the first byte of the response was sent; absent or null if unknown or if there was none. */
  firstByteMilliseconds?: number | null
  contentType: string | null
  userAgent: string | null
  userAgentFamily: string | null
  clientIp: string | null
  /** Pseudonym of the visitor, 64 hexadecimal digits; null if visitors cannot be distinguished. */
  visitor: string | null
  /** Login name, or `AnonymousUser`; null without a visitor. */
  userName: string | null
  /** Class of the exception with which the request ended. */
  errorType: string | null
  /** One of `usageClasses`; absent or null for `other`. */
  usageClass?: UsageClass | null
  /**
   * Requested area: cells of zoom 8 (row * 256 + column), separated by commas, or `wideArea`; absent or null
   * if there is none or it is unknown.
   */
  area?: string | null
  /** Host of the referring page; absent or null if the source does not report it. */
  referrer?: string | null
  /** Kind of client by its user agent; absent or null without a user agent. */
  kind?: 'robots' | 'people' | null
  /**
   * Origin of the client's address: the operator's own networks or others; absent or null if there is no
   * address.
   */
  network?: 'own' | 'others' | null
}

/** Name of all visitors who are not logged in. */
export const anonymousUser = 'AnonymousUser'

export interface CaughtException {
  serviceId: number
  /** Milliseconds since 1970. */
  created: number
  errorType: string
  message: string
  /** Stack trace as text. */
  stack: string
  /** Absent for exceptions outside of requests, such as a failed job. */
  request?: RequestEvent
}

/** A reading of a host, such as its free memory. */
export interface Sample {
  serviceId: number
  /** Milliseconds since 1970. */
  created: number
  /** Name of a host metric. */
  metric: string
  /** Mount point, network interface, or the metric's default label. */
  label: string
  /** Value; for counters the increase since the previous reading. */
  value: number
}
