import type { LayerRecord } from '../../catalog/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { collectionId } from '../ogcapi/collection.ts'

/** Version of the specification that all documents follow. */
export const stacVersion = '1.0.0'
export const stacRoot = '/stac'
export const json = 'application/json'
export const geoJson = 'application/geo+json'

/** A link of a document; `method` and `body` for a page of a search by POST. */
export interface StacLink {
  rel: string
  href: string
  type?: string
  title?: string
  method?: 'GET' | 'POST'
  body?: object
}

/** Returns the path of the STAC collection of a layer. */
export function stacCollectionPath(layer: LayerRecord): string {
  return `${stacRoot}/collections/${encodeURIComponent(collectionId(layer))}`
}

/** Returns the id of the item of a raster, or of a granule of a mosaic; unique on the server. */
export function itemId(layer: LayerRecord, granuleId?: string): string {
  return granuleId === undefined ? collectionId(layer) : `${collectionId(layer)}.${granuleId}`
}

export function stacLink(
  request: FastifyRequest,
  rel: string,
  type: string,
  title: string,
  path: string,
): StacLink {
  return { rel, type, title, href: request.link(path) }
}

/** Returns the links of an item. */
export function itemLinks(request: FastifyRequest, layer: LayerRecord, id: string): StacLink[] {
  const collection = stacCollectionPath(layer)
  const { title } = layer.details
  return [
    stacLink(request, 'self', geoJson, 'This item', `${collection}/items/${encodeURIComponent(id)}`),
    stacLink(request, 'root', json, 'The catalogue', stacRoot),
    stacLink(request, 'parent', json, title, collection),
    stacLink(request, 'collection', json, title, collection),
  ]
}
