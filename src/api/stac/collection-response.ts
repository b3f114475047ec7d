import type { LayerRecord } from '../../catalog/index.ts'
import type { ServiceContact } from '../../core/config/service-settings.ts'
import type { FastifyRequest } from '../app-types.ts'
import { doiLinks } from '../doi.ts'
import { collectionId } from '../ogcapi/collection.ts'
import { readContact } from '../ogcapi/records/record-contact.ts'
import { readLicence } from '../ogcapi/records/record-licence.ts'
import type { Range } from '../ogcapi/records/record-location.ts'
import { toBbox } from '../ogcapi/records/record-location.ts'
import { thumbnailAsset } from './assets.ts'
import { publicationTime } from './item-response.ts'
import { epsgOf, projectionExtension } from './projection.ts'
import {
  geoJson,
  json,
  type StacLink,
  stacCollectionPath,
  stacLink,
  stacRoot,
  stacVersion,
} from './stac-links.ts'

const wholeWorld = [-180, -90, 180, 90]

/** Returns the collection of a raster or mosaic; `range` is undefined if its location is unknown. */
export function toStacCollection(
  request: FastifyRequest,
  layer: LayerRecord,
  { range, publisher }: { range: Range | undefined; publisher: ServiceContact },
): object {
  const { details } = layer
  const { title, abstract, description, keywords = [], licence, times } = details
  const { spdx } = licence === undefined ? {} : readLicence(licence)
  const only = publicationTime(layer)
  const providers = providersOf(layer, publisher)
  return {
    type: 'Collection',
    stac_version: stacVersion,
    stac_extensions: [projectionExtension],
    id: collectionId(layer),
    title,
    description: abstract || description || title,
    keywords: keywords.length === 0 ? undefined : keywords,
    license: spdx ?? 'proprietary',
    providers: providers.length === 0 ? undefined : providers,
    extent: {
      spatial: { bbox: [range === undefined ? wholeWorld : toBbox(range)] },
      temporal: { interval: [[times?.from ?? only, times?.to ?? only]] },
    },
    summaries: { 'proj:epsg': [epsgOf(details)] },
    assets: thumbnailAsset(request, layer),
    links: collectionLinks(request, layer),
  }
}

function collectionLinks(request: FastifyRequest, layer: LayerRecord): StacLink[] {
  const path = stacCollectionPath(layer)
  const { licence } = layer.details
  const { address } = licence === undefined ? {} : readLicence(licence)
  const coverage = `/ogc/collections/${encodeURIComponent(collectionId(layer))}`
  return [
    stacLink(request, 'self', json, 'This collection', path),
    stacLink(request, 'root', json, 'The catalogue', stacRoot),
    stacLink(request, 'parent', json, 'The catalogue', stacRoot),
    stacLink(request, 'items', geoJson, 'Items', `${path}/items`),
    stacLink(request, 'about', json, 'The layer as a coverage', coverage),
    ...(address === undefined ? [] : [{ rel: 'license', href: address, title: 'Terms of use' }]),
    ...doiLinks(layer.details),
  ]
}

/** Returns who is responsible for the data, and who publishes the server. */
function providersOf({ details: { owner } }: LayerRecord, publisher: ServiceContact): object[] {
  const host = publisher.organisation
  return [
    ...(owner === undefined ? [] : [providerOf(owner)]),
    ...(host === undefined ? [] : [{ name: host, url: publisher.url, roles: ['host'] }]),
  ]
}

function providerOf(text: string): object {
  const { name, address } = readContact(text)
  return { name, url: address, roles: ['producer'] }
}
