import { asHtml } from '../as-html.ts'
import { offeredGranules } from '../offered.ts'
import type { Representation } from '../representations.ts'

/** The collection of records. */
export const offeredCatalogues: readonly Representation[] = [
  {
    name: 'json',
    mediaType: 'application/ogc-catalog+json',
    title: 'JSON',
    acceptedAs: ['application/json'],
  },
  asHtml,
]

/** Records are GeoJSON as granules are. */
export const offeredRecords: readonly Representation[] = offeredGranules
