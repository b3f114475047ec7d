// Members of GeoServer's REST documents whose XML does not follow from their JSON alone.

/**
 * Lists that are one element with an element for each item, by the name of the member: the name of the items. Other lists
 * repeat the element of the member.
 */
export const itemNames: Readonly<Record<string, string>> = {
  altered: 'string',
  attributes: 'attribute',
  bands: 'band',
  exclude: 'string',
  include: 'string',
  keywords: 'string',
  problems: 'problem',
  rasters: 'raster',
  roles: 'role',
  styles: 'style',
  tables: 'table',
  users: 'user',
  versions: 'version',
}

/** Members whose text is the address of another document: in XML an element with a link. */
export const linkNames: ReadonlySet<string> = new Set([
  'coverageStores',
  'coverages',
  'dataStores',
  'featureTypes',
  'layers',
  'styles',
])
