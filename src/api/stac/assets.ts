import type { LayerRecord, StoreRecord } from '../../catalog/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { cogMediaType } from '../ogcapi/cloud-optimized.ts'
import { collectionId } from '../ogcapi/collection.ts'
import { coverageLinks } from '../ogcapi/coverage.ts'
import { layerSegment } from '../tiles/named-layers.ts'

/** A file or picture of an item. */
interface Asset {
  href: string
  type?: string
  title?: string
  roles: string[]
  'file:size'?: number
}

/** Assets by name; undefined ones do not exist. */
export type Assets = Record<string, Asset | undefined>

function collectionPath(layer: LayerRecord): string {
  return `/ogc/collections/${encodeURIComponent(collectionId(layer))}`
}

function hasMap({ details: { srs, crs } }: LayerRecord): boolean {
  return (srs ?? crs) !== undefined
}

/** Returns the thumbnail of a layer; nothing for a raster without a location. */
export function thumbnailAsset(request: FastifyRequest, layer: LayerRecord): Assets {
  if (!hasMap(layer)) return {}
  const href = request.link(`/tiles/${layerSegment(layer)}/thumbnail.png`)
  return { thumbnail: { href, type: 'image/png', title: 'Thumbnail', roles: ['thumbnail'] } }
}

/** Returns the assets of a raster with one file: the file, a cloud-optimized GeoTIFF, a map and the thumbnail. */
export async function rasterAssets(
  request: FastifyRequest,
  layer: LayerRecord,
  store: StoreRecord,
): Promise<Assets> {
  const [file] = await coverageLinks(request, layer, store)
  const path = collectionPath(layer)
  const map = { href: request.link(`${path}/map`), type: 'image/png', title: 'Map', roles: ['overview'] }
  return {
    data: file && fileAsset(file, file.length),
    cog: {
      href: request.link(`${path}/coverage?f=cog`),
      type: cogMediaType,
      title: 'Cloud-optimized GeoTIFF',
      roles: ['data'],
    },
    map: hasMap(layer) ? map : undefined,
    ...thumbnailAsset(request, layer),
  }
}

function fileAsset(
  { href, type, title }: Omit<GranuleFile, 'sizeBytes'>,
  sizeBytes: number | undefined,
): Asset {
  return { href, type, title, roles: ['data'], 'file:size': sizeBytes }
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
): Assets {
  const query = new URLSearchParams(datetime === undefined ? {} : { datetime })
  query.set('bbox', bbox?.join() ?? '')
  query.set('width', '512')
  const href = request.link(`${collectionPath(layer)}/map?${query}`)
  const map = { href, type: 'image/png', title: 'Map of the granule', roles: ['overview'] }
  return {
    data: file && fileAsset(file, file.sizeBytes),
    map: bbox === undefined || !hasMap(layer) ? undefined : map,
  }
}
