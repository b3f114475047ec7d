import type { OwnEventType } from '../model/event-types.ts'
import type { ResourceType } from '../model/resource-types.ts'
import type { UsageClass } from '../model/usage-classes.ts'

export interface UsedResource {
  type: ResourceType
  /** Of a layer: `workspace:name`. */
  name: string
  /** Of a layer whose owner the source knows. */
  owner?: string
}

/** Where an address is. */
export interface Place {
  /** ISO 3166-1 alpha-3. */
  country: string | null
  region: string | null
  city: string | null
  latitude: number | null
  longitude: number | null
}

/** What every source tells of a request. */
export interface RequestFacts {
  serviceId: number
  /** Milliseconds since 1970, when it began; the minute it falls in is where it counts. */
  created: number
  /** Null for an OGC request of a service that has no type of its own, such as CSW. */
  eventType: OwnEventType | null
  method: string
  /** Stored without the query string. */
  path: string
  host: string
  status: number
  sizeBytes: number
  /** Each once. */
  resources: UsedResource[]
  /** It counts in its minute, and the log does not keep it beyond that: there are too many of its kind. */
  isCountedOnly?: boolean
}

/** One request, classified and with its privacy kept: what it holds may be stored as it is. */
export interface RequestEvent extends RequestFacts, Place {
  /** Null where the source does not tell: such a request has no part in response.time. */
  milliseconds: number | null
  /** Until the first byte of the answer was sent; absent or null where the source does not tell or none was. */
  firstByteMilliseconds?: number | null
  contentType: string | null
  userAgent: string | null
  userAgentFamily: string | null
  clientIp: string | null
  /** A label of 64 hexadecimal digits that stands for the visitor; null where visitors cannot be told apart. */
  visitor: string | null
  /** Login name, or `AnonymousUser`; null where there is no visitor. */
  userName: string | null
  /** Class of the exception that the request ended with. */
  errorType: string | null
  /** One of `usageClasses`; absent or null for those that are none of the others. */
  usageClass?: UsageClass | null
  /**
   * Where the request looks: cells of zoom 8 (row * 256 + column) with commas between them, or `wideArea`; absent or null
   * where it is for no area or for one that is not known.
   */
  area?: string | null
  /** Host of the page that led to the request; absent or null where the source does not tell. */
  referrer?: string | null
  /** By the user agent; absent or null where there is none. */
  kind?: 'robots' | 'people' | null
  /** Whether the client's address is of the operator's own networks; absent or null where there is no address. */
  network?: 'own' | 'others' | null
}

/** Name of every visitor who is not logged in. */
export const anonymousUser = 'AnonymousUser'

export interface CaughtException {
  serviceId: number
  /** Milliseconds since 1970. */
  created: number
  errorType: string
  message: string
  /** Stack trace as text. */
  stack: string
  /** Absent for work that no request did, such as a failed job. */
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
  /** Counters give the amount since the reading before. */
  value: number
}
