import type { EventType, RequestEventType, ResourceType, ServiceType, Severity } from './geonode-names.ts'

/** A metric of the target. */
export interface TargetMetric {
  id: number
  name: string
  /** Aggregation of values: `count` and `value` are summed, `rate` is the mean weighted by samples. */
  type: 'count' | 'value' | 'rate'
  /** True if a period has one row per label; otherwise it has one row with the default label. */
  isLabelled: boolean
  /** True if labels are addresses of clients. */
  isAddress: boolean
  /** True if values are readings of a host. */
  isHost: boolean
  defaultLabel: string
}

/** Periods for which the target has data of its own. */
export interface RecordedPeriods {
  /** In seconds since 1970; a period without length is the moment at which it begins. */
  overlaps(from: number, to: number): boolean
}

/** A resource that requests used. */
export interface DumpResource {
  type: ResourceType
  name: string
}

/** Values of one series and period, one row per label. */
export interface SeriesPeriod {
  /** Hidden id of the service, below 0. */
  serviceId: number
  metricId: number
  eventType: EventType
  /** Requests that used the resource, or any resource of the type; null for all requests. */
  resource: DumpResource | ResourceType | null
  /** Length of the period in seconds. */
  resolution: 60 | 3600 | 86_400
  /** Start of the period in seconds since 1970. */
  start: number
  rows: { label: string; userName: string | null; value: number; samples: number }[]
}

/** Request that caused an exception. */
export interface DumpRequest {
  serviceId: number
  /** Milliseconds since 1970. */
  created: number
  eventType: RequestEventType | null
  host: string
  path: string
  method: string
  status: number
  sizeBytes: number
  milliseconds: number | null
  contentType: string | null
  userAgent: string | null
  userAgentFamily: string | null
  clientIp: string | null
  country: string | null
  region: string | null
  city: string | null
  latitude: number | null
  longitude: number | null
  visitor: string | null
  userName: string | null
  errorType: string
  resources: DumpResource[]
}

export interface DumpException {
  /** Hidden id of the service, below 0. */
  serviceId: number
  /** Milliseconds since 1970. */
  created: number
  errorType: string
  message: string
  stack: string
  request?: DumpRequest
}

/** Storage of metric values and exceptions. Rows with a hidden service id are invisible until they are published. */
export interface SeriesTarget {
  findMetric(name: string): TargetMetric | undefined
  /** Returns the time of the import of the same dump, in milliseconds since 1970. */
  findImport(digest: string): Promise<number | undefined>
  /** Removes hidden rows of an import that failed. */
  begin(): Promise<void>
  readRecordedPeriods(serviceId: number): Promise<RecordedPeriods>
  /** Stores values; the periods of a series are consecutive. */
  writePeriods(periods: Iterable<SeriesPeriod>): Promise<void>
  writeExceptions(exceptions: DumpException[]): Promise<void>
  /** Returns the part of an address that may be stored; null for nothing. */
  keepAddress(address: string): string | null
  /** Removes an address from a text; `kept` is what `keepAddress` returned. */
  removeAddress(text: string, address: string, kept: string | null): string
  /** Removes secrets and addresses from an exception text. */
  scrub(text: string): string
}

/** A service to create. */
export interface NewService {
  name: string
  type: ServiceType
  hostId: number
  checkIntervalSeconds: number
  notes: string
  url: string
  source: { kind: 'own' } | { kind: 'geoserver-monitor' | 'geoserver-status'; url: string }
  isActive: boolean
}

/** Comparison of a check with a metric. */
export interface NewDefinition {
  metric: string
  option: string
  description: string
  bounds: {
    min: number | null
    max: number | null
    steps: number | null
    usesService: boolean
    usesResource: boolean
    usesLabel: boolean
    usesOwsService: boolean
  }
  threshold?: { value: number; eventType?: EventType }
}

/** A check to create. */
export interface NewCheck {
  name: string
  description: string
  severity: Severity
  isActive: boolean
  graceSeconds: number
  windowSeconds: number
  definitions: NewDefinition[]
}

/** Hosts, services and checks of the target. */
export interface ConfigurationTarget {
  services: {
    find(name: string): Promise<{ id: number; type: string } | undefined>
    create(service: NewService): Promise<{ id: number }>
    findHostNamed(name: string): Promise<{ id: number } | undefined>
    createHost(host: { name: string; ip: string }): Promise<{ id: number }>
  }
  checks: {
    /** Creates a check with the mail addresses of its receivers. Returns false if the name is used. */
    adopt(check: NewCheck, addresses: readonly string[]): Promise<boolean>
  }
}

/** Progress of an import: bytes of the dump, then rows. */
export interface ImportProgress {
  phase: 'receiving' | 'reading' | 'translating' | 'writing' | 'publishing'
  done: number
}
