import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { LayerRecord, StoreRecord } from '../../catalog/index.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { RasterBand, RasterDescription } from '../../formats/worker.ts'
import { coverageMediaType, mosaicType } from '../../stores/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { toCrsUri } from '../crs-uris.ts'
import { doiLinks } from '../doi.ts'
import { collectionId, gregorian, queryablesLink, toExtent } from './collection.ts'

function coverageFilePath(layer: LayerRecord, name: string): string {
  return `/ogc/collections/${encodeURIComponent(collectionId(layer))}/file/${encodeURIComponent(name)}`
}

const noDataWords: Record<string, string> = { nan: 'NaN', inf: 'Infinity', '-inf': '-Infinity' }

function toBandResponse({ dataType, noData, color, description }: RasterBand, index: number): object {
  return {
    name: description ?? `band${index + 1}`,
    type: dataType,
    noData: noData === undefined ? undefined : (ownValue(noDataWords, String(noData)) ?? noData),
    color,
  }
}

/** The length of a cell's sides, also of a raster that is turned. */
function toResolution([, a = 0, b = 0, , c = 0, d = 0]: number[]): object {
  return { x: Math.hypot(a, c), y: Math.hypot(b, d) }
}

function toCells({ width, height, geoTransform, bands, overviews }: RasterDescription): object {
  return {
    size: { width, height },
    ...(geoTransform === undefined ? {} : { resolution: toResolution(geoTransform), geoTransform }),
    bands: bands.map(toBandResponse),
    overviews,
  }
}

/** Link to a map of the coverage (OGC 20-058, /req/collection-map/desc-links). */
export function mapLink(request: FastifyRequest, path: string): CoverageLink {
  const rel = 'http://www.opengis.net/def/rel/ogc/1.0/map'
  return { rel, type: 'image/png', title: 'Map', href: request.link(`${path}/map`) }
}

/** The same as a header (RFC 8288), where links of the document are those to its cells alone. */
export function sayMapLink(request: FastifyRequest, reply: FastifyReply, layer: LayerRecord): void {
  const { kind, srs, crs } = layer.details
  if (kind !== 'raster' || (srs ?? crs) === undefined) return
  const { rel, type, href } = mapLink(request, `/ogc/collections/${encodeURIComponent(collectionId(layer))}`)
  reply.header('link', `<${href}>; rel="${rel}"; type="${type}"`)
}

/** Link to the cells. */
interface CoverageLink {
  rel: string
  type: string
  title: string
  href: string
  length?: number
}

/** Links to the file of a coverage, or to the granules of a mosaic. */
export async function coverageLinks(
  request: FastifyRequest,
  layer: LayerRecord,
  store: StoreRecord,
): Promise<CoverageLink[]> {
  if (store.type !== mosaicType) return fileLinks(request, layer, store)
  return granuleLinks(request, `/ogc/collections/${encodeURIComponent(collectionId(layer))}`)
}

/** Returns the link to the file; none if the file no longer exists. */
async function fileLinks(
  request: FastifyRequest,
  layer: LayerRecord,
  store: StoreRecord,
): Promise<CoverageLink[]> {
  const { path } = store.parameters
  const status = path === undefined ? undefined : await stat(path).catch(() => undefined)
  if (path === undefined || status?.isFile() !== true) return []
  const name = basename(path)
  const href = request.link(coverageFilePath(layer, name))
  return [{ rel: 'enclosure', type: coverageMediaType(path, store), title: name, href, length: status.size }]
}

/** Returns the common properties of a mosaic's granules. */
function toMosaicCells({ geoTransform, bands }: RasterDescription): object {
  return {
    resolution: geoTransform === undefined ? undefined : toResolution(geoTransform),
    bands: bands.map(toBandResponse),
  }
}

function granuleLinks(request: FastifyRequest, path: string): CoverageLink[] {
  const href = request.link(`${path}/granules`)
  return [{ rel: 'granules', type: 'application/geo+json', title: 'Granules', href }]
}

/**
 * Returns the temporal extent of the granules (OGC 17-069r4, section 7.14.2), with all times if requested.
 */
function toTemporal({ times }: LayerRecord['details'], isBrief: boolean): object {
  if (times === undefined) return {}
  const { from, to, count, values } = times
  const grid = { cellsCount: count }
  const listed = isBrief || values.length === 0 ? {} : { values }
  return { temporal: { interval: [[from, to]], trs: gregorian, grid, ...listed } }
}

/** A raster layer as a collection: what its cells are and where its file is. */
export async function toCoverage(
  request: FastifyRequest,
  layer: LayerRecord,
  store: StoreRecord,
  { isBrief }: { isBrief: boolean },
): Promise<object> {
  const id = collectionId(layer)
  const path = `/ogc/collections/${encodeURIComponent(id)}`
  const { title, abstract, srs, raster, featureCount } = layer.details
  const isMosaic = store.type === mosaicType
  const toOwnCells = isMosaic ? toMosaicCells : toCells
  return {
    id,
    title,
    description: abstract,
    itemType: 'coverage',
    extent: { ...(await toExtent(layer)), ...toTemporal(layer.details, isBrief) },
    ...(srs === undefined ? {} : { crs: [toCrsUri(srs)], storageCrs: toCrsUri(srs) }),
    ...(raster === undefined ? {} : toOwnCells(raster)),
    granuleCount: isMosaic ? (featureCount ?? 0) : undefined,
    links: [
      { rel: 'self', type: 'application/json', title: 'This collection', href: request.link(path) },
      ...(await coverageLinks(request, layer, store)),
      ...(isMosaic ? [queryablesLink(request, layer)] : []),
      ...doiLinks(layer.details),
    ],
  }
}
