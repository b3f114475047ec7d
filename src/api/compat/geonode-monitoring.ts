// Differences of the `geoserver` dialect from the monitoring API: docs/monitoring-contract.md, "Dialect of older systems".
import type { Dialect } from '../../core/config/settings.ts'
import { findDays } from '../../core/values/calendar.ts'
import { TimeReader } from '../../core/values/time-reader.ts'
import { parameterDateTime } from '../../core/values/time-rules.ts'
import { type EventType, eventTypes, type ServiceType, serviceTypes } from '../../monitoring/query/index.ts'

/** Names and shapes in responses that depend on the dialect. */
export interface MonitoringNames {
  dialect: Dialect
  /** True if windows of metric data begin at `valid_from`, and `label` may be the id of a label. */
  hasPlainWindows: boolean
  /** True if event types always have `type_label`. */
  hasTypeLabels: boolean
  /** True if labels of requests always have `user`, rows of an event type no `label`, and resources `href`. */
  hasOlderRows: boolean
  /** True if the response with notifications is the list of checks. */
  listsChecksAlone: boolean
  /** True if the response with the status is `{problems, health_level}`. */
  hasHealthLevel: boolean
  /** True if thresholds have their class: `{class, value}`. */
  hasLimitClasses: boolean
  serviceType(type: ServiceType): string
  findServiceType(name: string): ServiceType | undefined
  /** In the order of their ids. */
  serviceTypes: readonly string[]
  eventType(type: EventType): string
  findEventType(name: string): EventType | undefined
  /** ISO 8601 in UTC of milliseconds since 1970. */
  time(milliseconds: number): string
}

const geonodeServiceTypes: Record<ServiceType, string> = {
  app: 'geonode',
  mapserver: 'geoserver',
  hostapp: 'hostgeonode',
  hostmapserver: 'hostgeoserver',
}

const geonodeEventTypes: Partial<Record<EventType, string>> = { mapserver: 'geoserver' }

/** Returns the names and shapes of the monitoring API in a dialect. */
export function namesOfDialect(dialect: Dialect): MonitoringNames {
  const isOlder = dialect === 'geoserver'
  const serviceType = (type: ServiceType): string => (isOlder ? geonodeServiceTypes[type] : type)
  const eventType = (type: EventType): string => (isOlder ? (geonodeEventTypes[type] ?? type) : type)
  return {
    dialect,
    hasPlainWindows: isOlder,
    hasTypeLabels: isOlder,
    hasOlderRows: isOlder,
    listsChecksAlone: isOlder,
    hasHealthLevel: isOlder,
    hasLimitClasses: isOlder,
    serviceType,
    findServiceType: (name) => serviceTypes.find((one) => serviceType(one) === name),
    serviceTypes: serviceTypes.map(serviceType),
    eventType,
    findEventType: (name) => eventTypes.find((one) => eventType(one) === name),
    time: (milliseconds) => toMonitoringTime(milliseconds, dialect),
  }
}

/** True if lists of resources, labels and exceptions have the envelope. */
export function hasListEnvelope(dialect: Dialect): boolean {
  return dialect === 'geoserver'
}

/** Returns a time as ISO 8601 in UTC; six digits of fraction in the dialect. `milliseconds`: since 1970. */
export function toMonitoringTime(milliseconds: number, dialect: Dialect): string {
  const text = new Date(milliseconds).toISOString()
  return dialect === 'geoserver' ? text.replace('Z', '000Z') : text
}

const monthFirst = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d\d)(?:[Tt ](.+))?$/
const clocks = new TimeReader(parameterDateTime)
const msPerDay = 86_400_000

/** Parses month/day/year with an optional time, which the dialect accepts; returns milliseconds since 1970. */
export function parseMonthFirst(text: string, dialect: Dialect): number | undefined {
  const [, month, day, year = '', clock] = (dialect === 'geoserver' && monthFirst.exec(text)) || []
  const days = findDays(toYear(year), Number(month), Number(day))
  if (Number.isNaN(days)) return undefined
  if (clock === undefined) return days * msPerDay
  const bytes = Buffer.from(clock)
  const isTime = clocks.parseTime(bytes, 0, bytes.length)
  return isTime ? days * msPerDay + Math.floor(clocks.micros / 1000) : undefined
}

/** Two digits are the years 1969 to 2068. */
function toYear(text: string): number {
  const year = Number(text)
  if (text.length > 2) return year
  return year < 69 ? 2000 + year : 1900 + year
}
