import type { LayerRecord, LayerSummary } from '../../catalog/index.ts'
import { wkbOf } from '../../filters/geometry-operand.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { loadRelations } from '../../geo/relations/load-relations.ts'
import { geometryTypeCode } from '../../geo/wkb.ts'
import { mosaicType } from '../../stores/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { knownSummaries, readLayers } from '../ogcapi/records/read-records.ts'
import { meets } from '../ogcapi/records/record-location.ts'
import { publicationTime, rasterFootprint, toGranuleItems, toRasterItem } from './item-response.ts'
import { readGranules } from './read-granules.ts'
import type { ItemPosition, ItemSearch } from './search-request.ts'
import type { StacDeps } from './stac-deps.ts'

/** Mosaics are counted with a query each: no total is given for searches in more layers. */
const maxCounted = 100

/** A page of items. */
export interface ItemPage {
  items: object[]
  /** Undefined if the search covers more than `maxCounted` layers. */
  matched: number | undefined
  next: ItemPosition | undefined
}

/** Ids of one layer that a search names. */
interface NamedItems {
  isRaster: boolean
  granules: string[]
}

interface Context {
  deps: StacDeps
  request: FastifyRequest
  search: ItemSearch
  named: ReadonlyMap<string, NamedItems> | undefined
  signal: AbortSignal
}

/**
 * Finds items in the layers that the caller may read, in the order of the names of layers and of the ids of granules. Layers
 * that the caller may not read are neither searched nor counted.
 */
export async function findItems(
  deps: StacDeps,
  request: FastifyRequest,
  search: ItemSearch,
  signal: AbortSignal,
): Promise<ItemPage> {
  const named = search.ids === undefined ? undefined : namedItems(search.ids)
  const context = { deps, request, search, named, signal }
  const cards = await candidates(context)
  const isCounted = cards.length <= maxCounted
  const page: ItemPage = { items: [], matched: isCounted ? 0 : undefined, next: undefined }
  const { position } = search
  const shown =
    isCounted || position === undefined ? cards : cards.filter((card) => card.qualifiedName >= position.layer)
  for await (const layers of readLayers(deps.catalog, request, shown))
    for (const layer of layers) {
      signal.throwIfAborted()
      await addItems(context, page, layer)
      if (!isCounted && page.next !== undefined) return page
    }
  return page
}

/** Returns the rasters and mosaics that may have matching items, by names and extents. */
async function candidates({ deps, request, search, named }: Context): Promise<LayerSummary[]> {
  const { collections, interval } = search
  const set = await knownSummaries(deps.catalog, request)
  const byName = [...set.byId.values()].filter(
    ({ kind, qualifiedName, times }) =>
      kind === 'raster' &&
      collections?.has(qualifiedName) !== false &&
      named?.has(qualifiedName) !== false &&
      (times === undefined || isWithin(times.from, times.to, interval)),
  )
  const boxes = search.boxes ?? (search.intersects === undefined ? undefined : [search.intersects.envelope])
  const chosen = boxes === undefined ? byName : await withinBoxes(deps, byName, boxes)
  return chosen.sort((a, b) => (a.qualifiedName < b.qualifiedName ? -1 : 1))
}

async function withinBoxes(
  { bounds }: Pick<StacDeps, 'bounds'>,
  cards: readonly LayerSummary[],
  boxes: readonly Envelope[],
): Promise<LayerSummary[]> {
  const ranges = await Promise.all(cards.map((card) => bounds.of(card)))
  return cards.filter((_, index) => {
    const range = ranges[index]
    return range !== undefined && boxes.some((box) => meets(range, box))
  })
}

function isWithin(from: string, to: string, interval: ItemSearch['interval']): boolean {
  if (interval === undefined) return true
  const first = interval.from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(interval.from)
  const last = interval.to === undefined ? Number.POSITIVE_INFINITY : Date.parse(interval.to)
  return Date.parse(from) <= last && Date.parse(to) >= first
}

/** Ids by layer: `<layer>` of a raster, `<layer>.<granule>` of a granule. */
function namedItems(ids: readonly string[]): Map<string, NamedItems> {
  const named = new Map<string, NamedItems>()
  const itemsOf = (name: string): NamedItems => {
    const found = named.get(name) ?? { isRaster: false, granules: [] }
    named.set(name, found)
    return found
  }
  for (const id of ids) {
    itemsOf(id).isRaster = true
    const dot = id.lastIndexOf('.')
    if (dot > 0 && dot < id.length - 1) itemsOf(id.slice(0, dot)).granules.push(id.slice(dot + 1))
  }
  return named
}

/** Adds the items of a layer to a page, or only their number if the page is full or begins behind the layer. */
async function addItems(context: Context, page: ItemPage, layer: LayerRecord): Promise<void> {
  const name = `${layer.workspace}:${layer.name}`
  const { search, named } = context
  const { position } = search
  const isBefore = position !== undefined && name < position.layer
  const isFull = page.items.length >= search.limit
  const room = isBefore || isFull ? 0 : search.limit - page.items.length
  const from = position?.layer === name ? position.from : 0
  const store = await context.deps.catalog.layers.storeOf(layer)
  if (store.type !== mosaicType) {
    const isFound = named?.get(name)?.isRaster !== false && (await isRasterFound(layer, search))
    if (!isFound) return
    if (page.matched !== undefined) page.matched += 1
    if (room > 0) page.items.push(await toRasterItem(context.request, layer, store))
    else if (isFull) page.next ??= { layer: name, from: 0 }
    return
  }
  const found = await granulesOf(context, layer, { limit: room, from })
  if (page.matched !== undefined) page.matched += found.matched
  page.items.push(...(await toGranuleItems(context.request, layer, found.granules)))
  if (isFull && found.matched > 0) page.next ??= { layer: name, from: 0 }
  if (room > 0 && found.next !== undefined) page.next ??= { layer: name, from: found.next }
}

async function granulesOf(
  { deps, request, search, named, signal }: Context,
  layer: LayerRecord,
  { limit, from }: { limit: number; from: string | number },
) {
  const ids = named?.get(`${layer.workspace}:${layer.name}`)?.granules
  const isTimeless = layer.details.times === undefined
  const time = publicationTime(layer)
  if (ids?.length === 0 || (isTimeless && !isWithin(time, time, search.interval)))
    return { granules: [], matched: 0, next: undefined }
  const page = await readGranules(
    deps,
    request,
    layer,
    { search, ids, limit: Math.max(1, limit), from },
    signal,
  )
  return limit === 0 ? { ...page, granules: [] } : page
}

/** True if a raster with one file matches the time and area of a search. */
async function isRasterFound(layer: LayerRecord, search: ItemSearch): Promise<boolean> {
  const time = publicationTime(layer)
  if (!isWithin(time, time, search.interval)) return false
  const requested = search.intersects?.wkb ?? (search.boxes && wkbOfPolygons(search.boxes.map(ringOf)))
  if (requested === undefined) return true
  const footprint = await rasterFootprint(layer)
  if (footprint === undefined) return false
  const { type, coordinates } = footprint.geometry
  const rings = (type === 'Polygon' ? [coordinates] : coordinates) as number[][][][]
  const shown = rings.map(([ring = []]) => ring)
  // Areas beyond 180 degrees continue at the other side.
  const copies = [-360, 0, 360].flatMap((turn) =>
    shown.map((ring) => ring.map(([x = 0, y = 0]) => [x + turn, y])),
  )
  const { RelationTest } = await loadRelations()
  return new RelationTest('intersects', requested, true).test(wkbOfPolygons(copies), 0)
}

function ringOf({ minX, minY, maxX, maxY }: Envelope): number[][] {
  return [
    [minX, minY],
    [maxX, minY],
    [maxX, maxY],
    [minX, maxY],
    [minX, minY],
  ]
}

/** Returns closed rings as the polygons of a multipolygon. */
function wkbOfPolygons(rings: readonly (readonly number[][])[]): Uint8Array {
  const builder = new GeometryBuilder(1)
  builder.header(geometryTypeCode('MultiPolygon'), false, false)
  builder.count(rings.length)
  for (const ring of rings) {
    builder.header(geometryTypeCode('Polygon'), false, false)
    builder.count(1)
    builder.count(ring.length)
    for (const [x = 0, y = 0] of ring) builder.coordinate(x, y)
  }
  builder.endGeometry()
  return wkbOf(builder)
}
