import type { EventType } from '../model/event-types.ts'
import { eventTypes } from '../model/event-types.ts'
import type { ResourceType } from '../model/resource-types.ts'
import { resourceTypes } from '../model/resource-types.ts'
import type { ServiceType } from '../model/service-types.ts'
import { serviceTypes } from '../model/service-types.ts'

const olderServiceTypes = new Map<string, ServiceType>([
  ['geonode', 'app'],
  ['geoserver', 'mapserver'],
  ['hostgeonode', 'hostapp'],
  ['hostgeoserver', 'hostmapserver'],
])
const olderEventTypes = new Map<string, EventType>([['geoserver', 'mapserver']])
const olderResourceTypes = new Map<string, ResourceType>([['dataset', 'layer']])

/** The service type that an older name means. */
export function serviceTypeOf(name: string): ServiceType | undefined {
  return olderServiceTypes.get(name) ?? serviceTypes.find((one) => one === name)
}

export function eventTypeOf(name: string): EventType | undefined {
  return olderEventTypes.get(name) ?? eventTypes.find((one) => one === name)
}

/** Types that are not known here, such as `geo app`, are `other`. */
export function resourceTypeOf(name: string): ResourceType {
  return olderResourceTypes.get(name) ?? resourceTypes.find((one) => one === name) ?? 'other'
}
