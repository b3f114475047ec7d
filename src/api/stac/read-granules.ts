import type { LayerRecord } from '../../catalog/index.ts'
import { parseCql2Json } from '../../filters/cql2-json.ts'
import { allOf } from '../../filters/filter.ts'
import { indexSchema } from '../../importer/index.ts'
import type { FeaturePageRequest } from '../../stores/index.ts'
import type { RequestFilter } from '../../stores/reading/request-filter.ts'
import { toRequestFilter } from '../../stores/reading/request-filter.ts'
import type { FastifyRequest } from '../app-types.ts'
import type { Granules } from '../ogcapi/granules.ts'
import { granuleLink, openGranules } from '../ogcapi/granules.ts'
import { documentBytes, openPage } from '../ogcapi/page-stream.ts'
import type { Position } from './footprint.ts'
import type { Granule } from './item-response.ts'
import type { ItemSearch } from './search-request.ts'
import type { StacDeps } from './stac-deps.ts'

/** Selects granules of one mosaic. */
interface GranuleQuery {
  search: Pick<ItemSearch, 'boxes' | 'interval' | 'intersects'>
  /** Only granules with these ids. */
  ids?: readonly string[]
  limit: number
  /** Text of a position, or the number of granules to skip. */
  from: string | number
}

/** A page of granules. */
interface GranulePage {
  granules: Granule[]
  matched: number
  /** Start of the next page; undefined after the last one. */
  next: string | number | undefined
}

interface GranuleDocument {
  id: string | number
  geometry: { coordinates: Position[][] } | null
  properties: { file: string; time: string | null; width: number; height: number; size_bytes: number }
  links: { href: string; type: string; title: string }[]
}

/** Reads a page of the granules of a mosaic, in the order of their ids. */
export async function readGranules(
  deps: Pick<StacDeps, 'catalog' | 'pageTokens' | 'counts'>,
  request: FastifyRequest,
  layer: LayerRecord,
  query: GranuleQuery,
  signal: AbortSignal,
): Promise<GranulePage> {
  const granules = await openGranules(deps.catalog, layer)
  const about = JSON.stringify(['stac', layer.id])
  const isPosition = typeof query.from === 'string'
  const from = isPosition ? deps.pageTokens.read(String(query.from), about) : undefined
  const offset = isPosition ? 0 : Number(query.from)
  const page = pageRequest(request, layer, granules, query)
  const source = {
    layer: granules.layer,
    store: granules.store,
    counts: deps.counts,
    isSettled: async () => true,
  }
  const opened = await openPage(source, { ...page, query: { ...page.query, offset, from } }, signal)
  const { numberMatched: matched } = opened.first
  let ends = opened.first.ends
  const frame = {
    head: Buffer.from('['),
    tailOf: (last: typeof opened.first) => {
      ends = last.ends
      return Buffer.from(']')
    },
  }
  const bytes = await Array.fromAsync(documentBytes(opened, frame))
  const documents = JSON.parse(Buffer.concat(bytes).toString('utf8')) as GranuleDocument[]
  const passed = (from?.passed ?? offset) + documents.length
  const hasMore = query.ids === undefined && ends !== undefined ? ends.hasMore : passed < matched
  const row = query.ids === undefined ? ends?.last : undefined
  const token = row && deps.pageTokens.write({ row, passed, isBackward: false }, about)
  return { granules: documents.map(toGranule), matched, next: hasMore ? (token ?? passed) : undefined }
}

function pageRequest(
  request: FastifyRequest,
  layer: LayerRecord,
  { layer: index, store: _store }: Granules,
  { search, ids, limit }: GranuleQuery,
): FeaturePageRequest {
  const { boxes, interval, intersects } = search
  const { srs, crs, times } = layer.details
  return {
    query: { table: index.nativeName, limit, offset: 0, featureIds: ids },
    box: boxes === undefined ? undefined : { boxes, srs: 'EPSG:4326' },
    filter: filterOf(intersects?.filter, times === undefined ? undefined : interval),
    crs: srs ?? crs,
    // Corners in the CRS of the mosaic: fields of the projection extension are computed from these.
    srs: srs ?? 'EPSG:4326',
    isYx: false,
    fileLink: granuleLink(request, layer),
  }
}

/** Granules without a time belong to the whole period of their mosaic, so that they match. */
function filterOf(
  area: RequestFilter | undefined,
  interval: ItemSearch['interval'],
): RequestFilter | undefined {
  const ends = [
    ...(interval?.from === undefined ? [] : [timeTest('>=', interval.from)]),
    ...(interval?.to === undefined ? [] : [timeTest('<=', interval.to)]),
  ]
  if (ends.length === 0) return area
  const written = {
    op: 'or',
    args: [{ op: 'isNull', args: [timeProperty] }, ends.length === 1 ? ends[0] : { op: 'and', args: ends }],
  }
  const time = toRequestFilter(parseCql2Json(JSON.stringify(written)), indexSchema(undefined), 'EPSG:4326')
  return area === undefined ? time : { ...area, requested: allOf([area.requested, time.requested]) }
}

const timeProperty = { property: 'time' }

function timeTest(op: '>=' | '<=', timestamp: string): object {
  return { op, args: [timeProperty, { timestamp }] }
}

function toGranule({ id, geometry, properties, links }: GranuleDocument): Granule {
  const { file, time, width, height, size_bytes: sizeBytes } = properties
  const [link] = links
  const [ring = []] = geometry?.coordinates ?? []
  return {
    id: String(id),
    corners: ring.slice(0, -1),
    file,
    time,
    width,
    height,
    link: link === undefined ? undefined : { ...link, sizeBytes },
  }
}
