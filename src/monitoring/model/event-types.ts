/**
 * How resources are used. The index of a type is its id in the series: never reorder. `all`, `OWS:ALL` and `other` are
 * cumulative: every request, every OGC request, every other one. No request has one of them as its own type.
 */
export const eventTypes = [
  'OWS:TMS',
  'OWS:WMS-C',
  'OWS:WMTS',
  'OWS:WCS',
  'OWS:WFS',
  'OWS:WMS',
  'OWS:WPS',
  'other',
  'OWS:ALL',
  'all',
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
export type EventType = (typeof eventTypes)[number]

export const cumulativeEventTypes = ['all', 'OWS:ALL', 'other'] as const
export type CumulativeEventType = (typeof cumulativeEventTypes)[number]
/** What a single request can be. */
export type OwnEventType = Exclude<EventType, CumulativeEventType>

export const eventTypeLabels: Record<EventType, string> = {
  'OWS:TMS': 'TMS',
  'OWS:WMS-C': 'WMS-C',
  'OWS:WMTS': 'WMTS',
  'OWS:WCS': 'WCS',
  'OWS:WFS': 'WFS',
  'OWS:WMS': 'WMS',
  'OWS:WPS': 'WPS',
  other: 'Not OWS',
  'OWS:ALL': 'Any OWS',
  all: 'All',
  create: 'Create',
  upload: 'Upload',
  change: 'Change',
  change_metadata: 'Change Metadata',
  view_metadata: 'View Metadata',
  view: 'View',
  download: 'Download',
  publish: 'Publish',
  remove: 'Remove',
  mapserver: 'Geoserver event',
}

/** Whether the type relates to an OGC web service. */
export function isOws(type: EventType): boolean {
  return type.startsWith('OWS:')
}

/**
 * The types under which a request counts: `all`, its own and the cumulative one above it. Null is an OGC request of a
 * service that has no type of its own, such as CSW.
 */
export function countedUnder(own: OwnEventType | null): EventType[] {
  return own === null ? ['all', 'OWS:ALL'] : ['all', own, isOws(own) ? 'OWS:ALL' : 'other']
}

export function eventTypeId(type: EventType): number {
  return eventTypes.indexOf(type)
}
