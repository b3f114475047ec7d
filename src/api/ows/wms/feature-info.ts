import type { LayerRecord } from '../../../catalog/index.ts'
import { escapeXml } from '../../../core/text/escape.ts'
import { ownValue } from '../../../core/values/record-keys.ts'
import type { Filter } from '../../../filters/filter.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { GeometryField } from '../../../geo/schema.ts'
import type {
  BandValue,
  FilteredTableQuery,
  RasterPosition,
  Rasters,
  TimeSelection,
} from '../../../render/index.ts'
import type { FeaturePageRequest, MapPoint, WrittenForm } from '../../../stores/index.ts'
import type { RequestFilter } from '../../../stores/reading/request-filter.ts'
import type { KeyValues } from '../key-values.ts'
import { type RequestedLayer, requireLayersAndGroups } from '../named-layers.ts'
import type { FeatureInfoDeps, OwsCatalog } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { RequestDocuments } from '../request-documents.ts'
import type { InfoGml, LayerFeatureInfo } from './feature-info-gml.ts'
import { gmlText, infoForm } from './feature-info-gml.ts'
import { maxCells, maxMapLayers } from './get-map.ts'
import { readChosenFilters, readLayerFilters, withTimes } from './layer-filters.ts'
import type { MapCrs } from './map-crs.ts'
import { readMapBox, readMapCrs } from './map-crs.ts'
import { readTimeDimension, writeDefaultTimes } from './time-dimension.ts'
import type { WmsRequest } from './wms-request.ts'

const maxFeatures = 1000
const hasGeometry: Filter = { kind: 'not', of: { kind: 'empty' } }
/** Cells within which points and lines count as hit where the request names none, and the most that it may name. */
const usualTolerance = 4
const maxTolerance = 1000

interface Feature {
  id?: string | number
  properties: Record<string, unknown> | null
}

/** Writes the features found. */
interface InfoWriter {
  type: string
  /** GML version of the features; absent: GeoJSON. */
  gml?: InfoGml
  write(found: readonly LayerFeatureInfo[], request: WmsRequest, timeStamp: string): string
}

function gmlWriter(gml: InfoGml, type: string): InfoWriter {
  return { type, gml, write: (found, request, timeStamp) => gmlText(request, found, { gml, timeStamp }) }
}

const writers: Record<string, InfoWriter> = {
  'text/plain': { type: 'text/plain; charset=utf-8', write: plainText },
  'text/html': { type: 'text/html; charset=utf-8', write: htmlText },
  'application/json': { type: 'application/json; charset=utf-8', write: jsonText },
  'application/geo+json': { type: 'application/geo+json; charset=utf-8', write: jsonText },
  'application/vnd.ogc.gml': gmlWriter('2.1', 'application/vnd.ogc.gml; charset=utf-8'),
  // The second slash of this media type is not allowed in a header.
  'application/vnd.ogc.gml/3.1.1': gmlWriter('3.1', 'text/xml; subtype=gml/3.1.1; charset=utf-8'),
  'application/gml+xml; version=3.2': gmlWriter('3.2', 'application/gml+xml; version=3.2'),
}
/** Media types of feature information, as listed in capabilities. */
export const infoFormats = Object.keys(writers)

function findWriter(format: string): InfoWriter | undefined {
  return ownValue(writers, format.toLowerCase().replace(/;\s*/, '; '))
}

/** True if feature information is available in the media type. */
export function isInfoFormat(format: string): boolean {
  return findWriter(format) !== undefined
}

/** Features at a cell of a map (OGC 06-042, section 7.4). */
export async function getFeatureInfo(deps: FeatureInfoDeps, wmsRequest: WmsRequest): Promise<unknown> {
  const { values, version, request, reply, workspace } = wmsRequest
  const format = values.find('info_format') ?? 'text/plain'
  const writer = findWriter(format)
  if (writer === undefined)
    throw new OwsFailure(
      'InvalidFormat',
      `INFO_FORMAT "${format}" is not one of ${infoFormats.join(', ')}`,
      'info_format',
    )
  const crs = readMapCrs(values, version)
  const point = readPoint(wmsRequest, crs)
  const requested = values.find('feature_count') === undefined ? 1 : values.requireCount('feature_count', 1e9)
  const limit = Math.min(requested, maxFeatures)
  const names = values.require('query_layers').split(',')
  if (names.length > maxMapLayers)
    throw new OwsFailure(
      'InvalidParameterValue',
      `At most ${maxMapLayers} layers can be queried`,
      'query_layers',
    )
  const requestedLayers = await requireLayersAndGroups(deps.catalog, request, names, {
    workspace,
    parameter: 'query_layers',
  })
  const layers = requestedLayers.map(({ layer }) => layer)
  const details = layers.map((layer) => layer.details)
  const times = readTimeDimension(values, details)
  const filters = withTimes(await readQueryFilters(deps.documents, values, requestedLayers), layers, times)
  const place = { srs: crs.srs, x: point.x, y: point.y }
  const { gml } = writer
  const formOf = (layer: LayerRecord): WrittenForm | undefined =>
    gml === undefined ? undefined : infoForm(wmsRequest, layer, { gml, srs: crs.srs })
  const found = await deps.limiter.run(reply, (signal) =>
    Promise.all(
      layers.map((layer, at) =>
        layer.details.kind === 'raster'
          ? findValues(deps.rasters, layer, { place, times }, signal)
          : findFeatures(
              deps.catalog,
              layer,
              { crs, point, limit, form: formOf(layer), shown: filters[at] },
              signal,
            ),
      ),
    ),
  )
  if (found === undefined) return reply.hijack()
  writeDefaultTimes(reply, values, details)
  const body = writer.write(found, wmsRequest, deps.features.clock.now().toISOString())
  return reply
    .header('content-type', writer.type)
    .header('content-security-policy', "default-src 'none'")
    .send(body)
}

/** Filters refer to LAYERS, of which QUERY_LAYERS is a subset. */
function readQueryFilters(
  documents: RequestDocuments,
  values: KeyValues,
  layers: readonly RequestedLayer[],
): Promise<(FilteredTableQuery | undefined)[]> {
  const names = values.list('query_layers')
  const shown = values.list('layers')
  const text = values.find('cql_filter') ?? values.find('filter')
  if (text === undefined || shown.length === 0 || shown.join() === names.join())
    return readLayerFilters(values, layers, documents)
  return readChosenFilters(
    values,
    shown,
    layers.map(({ layer, position }) => ({ layer, name: names[position] ?? '' })),
    documents,
  )
}

/** The middle of the cell that I and J (in 1.1.1 X and Y) name, in the CRS of the map. */
function readPoint({ values, version }: WmsRequest, crs: MapCrs): MapPoint {
  const box = readMapBox(values, crs)
  const [width, height] = [values.requireCount('width', maxCells), values.requireCount('height', maxCells)]
  const [across, down] = version === '1.3.0' ? ['i', 'j'] : ['x', 'y']
  const column = cellNumber(values.find(across) ?? values.require(across === 'i' ? 'x' : 'i'), width, across)
  const row = cellNumber(values.find(down) ?? values.require(down === 'j' ? 'y' : 'j'), height, down)
  const cell: MapPoint['cell'] = [(box.maxX - box.minX) / width, (box.maxY - box.minY) / height]
  const [x, y] = [box.minX + (column + 0.5) * cell[0], box.maxY - (row + 0.5) * cell[1]]
  return { x, y, cell, tolerance: readTolerance(values) }
}

/** GeoServer has BUFFER for the tolerance, MapServer RADIUS; both are cells. */
function readTolerance(values: KeyValues): number {
  const name = values.find('buffer') === undefined ? 'radius' : 'buffer'
  const text = values.find(name)
  if (text === undefined) return usualTolerance
  const value = Number(text)
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text) && value <= maxTolerance) return value
  throw new OwsFailure(
    'InvalidParameterValue',
    `${name.toUpperCase()} "${text.slice(0, 100)}" is not a number of cells from 0 to ${maxTolerance}`,
    name,
  )
}

function cellNumber(text: string, most: number, name: string): number {
  const value = Number(text)
  if (/^\d{1,9}$/.test(text) && value < most) return value
  throw new OwsFailure(
    'InvalidPoint',
    `${name.toUpperCase()} "${text}" is not a whole number from 0 to ${most - 1}`,
    name,
  )
}

interface FeatureInfoQuery {
  crs: MapCrs
  point: MapPoint
  limit: number
  form: WrittenForm | undefined
  shown: FilteredTableQuery | undefined
}

async function findFeatures(
  catalog: OwsCatalog,
  layer: LayerRecord,
  { crs, point, limit, form, shown }: FeatureInfoQuery,
  signal: AbortSignal,
): Promise<LayerFeatureInfo> {
  const { srs, crs: declared, schema } = layer.details
  const known = srs ?? declared
  if (schema.geometry === undefined || known === undefined)
    throw new OwsFailure(
      'LayerNotQueryable',
      `Layer "${layer.workspace}:${layer.name}" has no features on a map`,
      'query_layers',
    )
  const reached = isOfPolygons(schema.geometry) ? { ...point, tolerance: 0 } : point
  const request: FeaturePageRequest = {
    query: { table: layer.nativeName, limit, offset: 0, featureIds: shown?.ids },
    box: { boxes: [boxAround(reached)], srs: crs.srs },
    point: reached,
    filter: filterOf(shown?.filter, crs),
    crs: known,
    srs: crs.srs,
    isYx: form?.about.crs?.isYx === true,
    numberMatched: 0,
    form,
  }
  const store = await catalog.layers.openStoreOf(layer)
  const pages = await Array.fromAsync(store.writePage(request, signal), (part) => ({ ...part }))
  const text = Buffer.concat(pages.map(({ bytes }) => bytes)).toString('utf8')
  return { layer, text, count: pages.at(-1)?.numberReturned ?? 0 }
}

/** Finds the values of a coverage at a position, as a feature whose properties are its bands; none for no data. */
async function findValues(
  rasters: Rasters,
  layer: LayerRecord,
  { place, times }: { place: RasterPosition; times: readonly TimeSelection[] | undefined },
  signal: AbortSignal,
): Promise<LayerFeatureInfo> {
  const values = await rasters.values(layer, place, times, signal)
  return values === undefined ? { layer, text: '', count: 0 } : { layer, text: valuesText(values), count: 1 }
}

function valuesText(values: readonly BandValue[]): string {
  const properties = new Map<string, number | null>()
  for (const { name, value } of values) properties.set(freeName(properties, name), value)
  return JSON.stringify({ type: 'Feature', geometry: null, properties: Object.fromEntries(properties) })
}

/** Numbers bands with equal names. */
function freeName(taken: ReadonlyMap<string, unknown>, name: string): string {
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name} ${number}`
  return free
}

function isOfPolygons({ type }: GeometryField): boolean {
  return type === 'Polygon' || type === 'MultiPolygon'
}

function boxAround({ x, y, cell: [width, height], tolerance }: MapPoint): Envelope {
  const reach = Math.max(tolerance, 0.5)
  return {
    minX: x - reach * width,
    minY: y - reach * height,
    maxX: x + reach * width,
    maxY: y + reach * height,
  }
}

function filterOf(shown: RequestFilter | undefined, { srs }: MapCrs): RequestFilter {
  if (shown === undefined) return { requested: hasGeometry, srs }
  return { requested: { kind: 'all', of: [hasGeometry, shown.requested] }, srs: shown.srs }
}

function jsonText(found: readonly LayerFeatureInfo[]): string {
  const features = found.map(({ text }) => text).filter((text) => text !== '')
  return `{"type":"FeatureCollection","features":[${features.join(',')}]}`
}

function featuresOf({ text }: LayerFeatureInfo): Feature[] {
  return JSON.parse(`[${text}]`) as Feature[]
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function plainText(found: readonly LayerFeatureInfo[]): string {
  const blocks = found.flatMap((one) =>
    featuresOf(one).map(({ id, properties }) =>
      [
        `${one.layer.workspace}:${one.layer.name} ${id ?? ''}`.trimEnd(),
        ...Object.entries(properties ?? {}).map(([name, value]) => `  ${name} = ${shown(value)}`),
      ].join('\n'),
    ),
  )
  return blocks.length === 0 ? 'no features were found\n' : `${blocks.join('\n\n')}\n`
}

function htmlText(found: readonly LayerFeatureInfo[]): string {
  const tables = found.flatMap((one) =>
    featuresOf(one).map(({ id, properties }) => {
      const rows = Object.entries(properties ?? {}).map(
        ([name, value]) =>
          `<tr><th scope="row">${escapeXml(name)}</th><td>${escapeXml(shown(value))}</td></tr>`,
      )
      const caption = `${one.layer.details.title} ${id ?? ''}`.trim()
      return `<table><caption>${escapeXml(caption)}</caption>${rows.join('')}</table>`
    }),
  )
  const body = tables.length === 0 ? '<p>No features were found.</p>' : tables.join('\n')
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Features</title></head><body>\n${body}\n</body></html>\n`
}
