import { keysById, keysOf } from '../../core/values/record-keys.ts'

/** Classes of layer use, each with its position in stored rows, which is never reassigned. */
export const usageClasses = [
  'other',
  'tiles',
  'maps',
  'features',
  'downloads',
  'metadata',
  'imports',
] as const
/** Usage class of a request. `other` includes everything else, such as web pages. */
export type UsageClass = (typeof usageClasses)[number]

/** Classes that deliver the data: requests in the sense of COUNTER. */
export const dataClasses: readonly UsageClass[] = ['features', 'downloads']

/** Classes that count as investigations in the sense of COUNTER, including requests. */
export const investigationClasses: readonly UsageClass[] = ['tiles', 'maps', 'metadata', ...dataClasses]

/**
 * Uses of resources, each with its id in the series, in listing order. An id is never reassigned; a new type
 * takes the next number. `all`, `OWS:ALL` and `other` are cumulative: all requests, all OGC requests, all
 * others. No request has a cumulative type as its own.
 */
const idByEventType = {
  'OWS:TMS': 0,
  'OWS:WMS-C': 1,
  'OWS:WMTS': 2,
  'OWS:WCS': 3,
  'OWS:WFS': 4,
  'OWS:WMS': 5,
  'OWS:WPS': 6,
  other: 7,
  'OWS:ALL': 8,
  all: 9,
  create: 10,
  upload: 11,
  change: 12,
  change_metadata: 13,
  view_metadata: 14,
  view: 15,
  download: 16,
  publish: 17,
  remove: 18,
  mapserver: 19,
} as const
export type EventType = keyof typeof idByEventType

export const eventTypes: readonly EventType[] = keysOf(idByEventType)

export const cumulativeEventTypes = ['all', 'OWS:ALL', 'other'] as const
type CumulativeEventType = (typeof cumulativeEventTypes)[number]
/** Event type of a single request. */
export type RequestEventType = Exclude<EventType, CumulativeEventType>

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

/** True if the type belongs to an OGC web service. */
export function isOws(type: EventType): boolean {
  return type.startsWith('OWS:')
}

/**
 * Returns the types under which a request counts: `all`, its own type, and the cumulative type that includes
 * it. Null: an OGC request of a service without a type, such as CSW.
 */
export function countedUnder(own: RequestEventType | null): EventType[] {
  return own === null ? ['all', 'OWS:ALL'] : ['all', own, isOws(own) ? 'OWS:ALL' : 'other']
}

export function eventTypeId(type: EventType): number {
  return idByEventType[type]
}

const eventTypeById = keysById(idByEventType)

/** Returns the type with this id in the series. */
export function eventTypeOfId(id: number): EventType | undefined {
  return eventTypeById.get(id)
}
