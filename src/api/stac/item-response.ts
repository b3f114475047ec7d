import type { LayerRecord, StoreRecord } from '../../catalog/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { collectionId } from '../ogcapi/collection.ts'
import { readLicence } from '../ogcapi/records/record-licence.ts'
import type { Assets, GranuleFile } from './assets.ts'
import { granuleAssets, rasterAssets } from './assets.ts'
import type { Footprint, Position } from './footprint.ts'
import { footprintsOf } from './footprint.ts'
import {
  cornersOf,
  fileExtension,
  projectionExtension,
  projectionOfGranule,
  projectionOfRaster,
} from './projection.ts'
import { itemId, itemLinks, stacVersion } from './stac-links.ts'

/** A granule as the index of its mosaic has it. */
export interface Granule {
  id: string
  /** Corners in the CRS of the mosaic, or in degrees if that CRS has no code. */
  corners: readonly Position[]
  file: string
  /** ISO 8601 in UTC; null if it has none. */
  time: string | null
  width: number
  height: number
  link: GranuleFile | undefined
}

/** Times of an item (STAC item specification, "Date and Time"). */
interface ItemTimes {
  datetime: string | null
  start_datetime?: string
  end_datetime?: string
}

interface ItemParts {
  id: string
  footprint: Footprint | undefined
  properties: object
  assets: Assets
}

/** The time of an item without one is that of its publication. */
export function publicationTime({ createdAt }: Pick<LayerRecord, 'createdAt'>): string {
  return createdAt
}

/** Returns the times of a granule; one without a time belongs to the whole period of its mosaic. */
function granuleTimes(layer: LayerRecord, time: string | null): ItemTimes {
  const { times } = layer.details
  if (time !== null) return { datetime: time }
  if (times === undefined) return { datetime: publicationTime(layer) }
  return { datetime: null, start_datetime: times.from, end_datetime: times.to }
}

function toItem(request: FastifyRequest, layer: LayerRecord, parts: ItemParts): object {
  const { id, footprint, properties, assets } = parts
  const hasSize = Object.values(assets).some((asset) => asset?.['file:size'] !== undefined)
  return {
    type: 'Feature',
    stac_version: stacVersion,
    stac_extensions: [projectionExtension, ...(hasSize ? [fileExtension] : [])],
    id,
    collection: collectionId(layer),
    geometry: footprint?.geometry ?? null,
    bbox: footprint?.bbox,
    properties,
    links: itemLinks(request, layer, id),
    assets,
  }
}

function commonProperties({ createdAt, updatedAt, details: { licence } }: LayerRecord): object {
  const { spdx } = licence === undefined ? {} : readLicence(licence)
  return { created: createdAt, updated: updatedAt, license: spdx }
}

/** Returns the footprint of a raster with one file. */
export async function rasterFootprint({ details }: LayerRecord): Promise<Footprint | undefined> {
  const [footprint] = await footprintsOf([cornersOf(details)], details.srs ?? details.crs)
  return footprint
}

/** Returns the item of a raster with one file. */
export async function toRasterItem(
  request: FastifyRequest,
  layer: LayerRecord,
  store: StoreRecord,
): Promise<object> {
  const { details } = layer
  return toItem(request, layer, {
    id: itemId(layer),
    footprint: await rasterFootprint(layer),
    properties: {
      title: details.title,
      description: details.abstract,
      datetime: publicationTime(layer),
      ...commonProperties(layer),
      ...projectionOfRaster(details),
    },
    assets: await rasterAssets(request, layer, store),
  })
}

/** Returns the items of granules, with one transformation of all footprints. */
export async function toGranuleItems(
  request: FastifyRequest,
  layer: LayerRecord,
  granules: readonly Granule[],
): Promise<object[]> {
  const { details } = layer
  const corners = granules.map((one) => one.corners)
  const footprints = await footprintsOf(corners, details.srs ?? 'EPSG:4326')
  return granules.map((granule, index) => {
    const footprint = footprints[index]
    const projection =
      details.srs === undefined
        ? { 'proj:epsg': null, 'proj:shape': [granule.height, granule.width] }
        : projectionOfGranule(details, granule.corners, granule)
    const when = { bbox: footprint?.bbox, datetime: granule.time ?? undefined }
    return toItem(request, layer, {
      id: itemId(layer, granule.id),
      footprint,
      properties: {
        title: granule.file,
        ...granuleTimes(layer, granule.time),
        ...commonProperties(layer),
        ...projection,
      },
      assets: granuleAssets(request, layer, granule.link, when),
    })
  })
}
