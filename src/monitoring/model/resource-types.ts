import { keysById, keysOf } from '../../core/values/record-keys.ts'

/**
 * Types of resources, each with its id in the series, which is never reassigned; a new type takes the next
 * number. The first one is for requests without a resource.
 */
const idByResourceType = {
  '': 0,
  layer: 1,
  map: 2,
  resource_base: 3,
  document: 4,
  style: 5,
  admin: 6,
  url: 7,
  other: 8,
} as const
export type ResourceType = keyof typeof idByResourceType

export const resourceTypes: readonly ResourceType[] = keysOf(idByResourceType)

export const resourceTypeLabels: Record<ResourceType, string> = {
  '': 'No resource',
  layer: 'Layer',
  map: 'Map',
  resource_base: 'Resource base',
  document: 'Document',
  style: 'Style',
  admin: 'Admin',
  url: 'URL',
  other: 'Other',
}

export function resourceTypeId(type: ResourceType): number {
  return idByResourceType[type]
}

const resourceTypeById = keysById(idByResourceType)

/** Returns the type with this id in the series. */
export function resourceTypeOfId(id: number): ResourceType | undefined {
  return resourceTypeById.get(id)
}
