/** Types of monitored services. */
const serviceTypes = ['app', 'mapserver', 'hostapp', 'hostmapserver'] as const
export type ServiceType = (typeof serviceTypes)[number]

/** Types that represent several other types; no single request has them. */
const cumulativeEventTypes = ['all', 'OWS:ALL', 'other'] as const
const requestEventTypes = [
  'OWS:TMS',
  'OWS:WMS-C',
  'OWS:WMTS',
  'OWS:WCS',
  'OWS:WFS',
  'OWS:WMS',
  'OWS:WPS',
  'create',
  'upload',
  'change',
  'change_metadata',
  'view_metadata',
  'view',
  'download',
  'publish',
  'remove',
  'mapserver',
] as const
export type RequestEventType = (typeof requestEventTypes)[number]
export type EventType = RequestEventType | (typeof cumulativeEventTypes)[number]
export const eventTypes: readonly EventType[] = [...cumulativeEventTypes, ...requestEventTypes]

/** Types of resources; the first one is for requests without a resource. */
export const resourceTypes = [
  '',
  'layer',
  'map',
  'resource_base',
  'document',
  'style',
  'admin',
  'url',
  'other',
] as const
export type ResourceType = (typeof resourceTypes)[number]

export const severities = ['warning', 'error', 'fatal'] as const
export type Severity = (typeof severities)[number]

const serviceTypeByName = new Map<string, ServiceType>([
  ['geonode', 'app'],
  ['geoserver', 'mapserver'],
  ['hostgeonode', 'hostapp'],
  ['hostgeoserver', 'hostmapserver'],
  ...serviceTypes.map((type) => [type, type] as const),
])
const eventTypeByName = new Map<string, EventType>([
  ['geoserver', 'mapserver'],
  ...eventTypes.map((type) => [type, type] as const),
])
const resourceTypeByName = new Map<string, ResourceType>([
  ['dataset', 'layer'],
  ...resourceTypes.map((type) => [type, type] as const),
])

/** Finds the service type of a name in the dump. */
export function findServiceType(name: string): ServiceType | undefined {
  return serviceTypeByName.get(name)
}

export function findEventType(name: string): EventType | undefined {
  return eventTypeByName.get(name)
}

/** Returns null for a cumulative or unknown type. */
export function findRequestEventType(name: string): RequestEventType | null {
  const type = findEventType(name)
  return requestEventTypes.find((one) => one === type) ?? null
}

/** Returns the resource type of a name in the dump; unknown types such as `geo app` are `other`. */
export function getResourceType(name: string): ResourceType {
  return resourceTypeByName.get(name) ?? 'other'
}
