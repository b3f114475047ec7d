import type { LayerRecord, StoreRecord } from '../../catalog/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { cogMediaType } from '../ogcapi/cloud-optimized.ts'
import { collectionId } from '../ogcapi/collection.ts'
import { coverageLinks } from '../ogcapi/coverage.ts'
import { layerSegment } from '../tiles/named-layers.ts'

/** A file or picture of an item. */
export interface Asset {
  href: string
  type?: string
  title?: string
  roles: string[]
  'file:size'?: number
}

function collectionPath(layer: LayerRecord): string {
  return `/ogc/collections/${encodeURIComponent(collectionId(layer))}`
}

function hasMap({ details: { srs, crs } }: LayerRecord): boolean {
  return (srs ?? crs) !== undefined
}

/** Returns the thumbnail of a layer; nothing for a raster without a location. */
export function thumbnailAsset(request: FastifyRequest, layer: LayerRecord): Record<string, Asset> {
  if (!hasMap(layer)) return {}
  const href = request.link(`/tiles/${layerSegment(layer)}/thumbnail.png`)
  return { thumbnail: { href, type: 'image/png', title: 'Thumbnail', roles: ['thumbnail'] } }
}

/** Returns the assets of a raster with one file: the file, a cloud-optimized GeoTIFF, a map and the thumbnail. */
export async function rasterAssets(
  request: FastifyRequest,
  layer: LayerRecord,
  store: StoreRecord,
): Promise<Record<string, Asset>> {
  const [file] = await coverageLinks(request, layer, store)
  const path = collectionPath(layer)
  return {
    ...(file === undefined
      ? {}
      : {
          data: {
            href: file.href,
            type: file.type,
            title: file.title,
            roles: ['data'],
            'file:size': file.length,
          },
        }),
    cog: {
      href: request.link(`${path}/coverage?f=cog`),
      type: cogMediaType,
      title: 'Cloud-optimized GeoTIFF',
      roles: ['data'],
    },
    ...(hasMap(layer)
      ? { map: { href: request.link(`${path}/map`), type: 'image/png', title: 'Map', roles: ['overview'] } }
      : {}),
    ...thumbnailAsset(request, layer),
  }
}

/** Link of a granule to its file. */
export interface GranuleFile {
  href: string
  type: string
  title: string
  sizeBytes: number
}

/** Returns the assets of a granule: its file, and a map of its area at its time. */
export function granuleAssets(
  request: FastifyRequest,
  layer: LayerRecord,
  file: GranuleFile | undefined,
  { bbox, datetime }: { bbox: readonly number[] | undefined; datetime: string | undefined },
): Record<string, Asset> {
  const query = new URLSearchParams(datetime === undefined ? {} : { datetime })
  query.set('bbox', bbox?.join() ?? '')
  query.set('width', '512')
  const map = request.link(`${collectionPath(layer)}/map?${query}`)
  return {
    ...(file === undefined
      ? {}
      : {
          data: {
            href: file.href,
            type: file.type,
            title: file.title,
            roles: ['data'],
            'file:size': file.sizeBytes,
          },
        }),
    ...(bbox === undefined || !hasMap(layer)
      ? {}
      : { map: { href: map, type: 'image/png', title: 'Map of the granule', roles: ['overview'] } }),
  }
}
