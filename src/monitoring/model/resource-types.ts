/** Types of resource; a type's index is its id in the series. The first stands for requests without a resource. */
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
