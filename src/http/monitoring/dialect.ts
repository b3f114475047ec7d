import type { Dialect } from '../../config/settings.ts'
import type { EventType } from '../../monitoring/model/event-types.ts'
import { eventTypes } from '../../monitoring/model/event-types.ts'
import type { ServiceType } from '../../monitoring/model/service-types.ts'
import { serviceTypes } from '../../monitoring/model/service-types.ts'
import { toTimeResponse } from './time-parameter.ts'

/** Names in responses that depend on the dialect. */
export interface MonitoringNames {
  dialect: Dialect
  /** True if clients of older systems must work unchanged. */
  isOlder: boolean
  serviceType(type: ServiceType): string
  findServiceType(name: string): ServiceType | undefined
  /** In the order of their ids. */
  serviceTypes: readonly string[]
  eventType(type: EventType): string
  findEventType(name: string): EventType | undefined
  /** ISO 8601 in UTC of milliseconds since 1970. */
  time(milliseconds: number): string
}

const olderServiceTypes: Record<ServiceType, string> = {
  app: 'geonode',
  mapserver: 'geoserver',
  hostapp: 'hostgeonode',
  hostmapserver: 'hostgeoserver',
}

const olderEventTypes: Partial<Record<EventType, string>> = { mapserver: 'geoserver' }

export function namesOfDialect(dialect: Dialect): MonitoringNames {
  const isOlder = dialect === 'geoserver'
  const serviceType = (type: ServiceType): string => (isOlder ? olderServiceTypes[type] : type)
  const eventType = (type: EventType): string => (isOlder ? (olderEventTypes[type] ?? type) : type)
  return {
    dialect,
    isOlder,
    serviceType,
    findServiceType: (name) => serviceTypes.find((one) => serviceType(one) === name),
    serviceTypes: serviceTypes.map(serviceType),
    eventType,
    findEventType: (name) => eventTypes.find((one) => eventType(one) === name),
    time: (milliseconds) => toTimeResponse(milliseconds, dialect),
  }
}
