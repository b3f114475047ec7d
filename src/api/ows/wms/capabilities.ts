import type { LayerSummary } from '../../../catalog/index.ts'
import { escapeXml } from '../../../core/text/escape.ts'
import { waitLimit } from '../../../core/time/wait-limit.ts'
import type { TimeBounds } from '../../../stores/index.ts'
import { boundsOfLayers } from '../../bounds-of-layers.ts'
import type { LayerBounds } from '../../layer-bounds.ts'
import type { LayerTimeBounds } from '../../layer-times.ts'
import { legendPath } from '../legend-path.ts'
import type { ListedGroup } from '../listed-groups.ts'
import { listReadableGroups } from '../listed-groups.ts'
import { commonCrs } from '../named-crs.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { sendPieces } from '../send-pieces.ts'
import { inspireView, textElement, wmsHead, wmsTail } from '../service-about.ts'
import type { ServiceMetadata } from '../service-metadata.ts'
import { readServiceMetadata } from '../service-metadata.ts'
import { infoFormats } from './feature-info.ts'
import { groupStyle, mapFormats, maxCells, maxMapLayers } from './get-map.ts'
import { legendFormats } from './legend-graphic.ts'
import { dimensionXml, featureDimensionXml } from './time-dimension.ts'
import type { WmsRequest, WmsVersion } from './wms-request.ts'

/** Time that a response waits for unknown times of features: a later one contains them. */
const longestTimesMs = 1500

/** Sends the capabilities (OGC 06-042, section 7.2; 01-068r3, section 7.1). */
export async function getCapabilities(
  deps: Pick<OwsDeps, 'catalog' | 'bounds' | 'about' | 'times'>,
  request: WmsRequest,
): Promise<unknown> {
  const type = request.version === '1.3.0' ? 'text/xml' : 'application/vnd.ogc.wms_xml'
  const { cards, ...metadata } = await readServiceMetadata(deps, request)
  const drawn = cards.filter(({ kind }) => kind !== 'table')
  const groups = await listReadableGroups(deps.catalog, request.workspace, drawn)
  return sendPieces(
    request.reply,
    `${type}; charset=utf-8`,
    documentPieces(deps.bounds, deps.times, request, { ...metadata, cards: drawn, groups }),
  )
}

async function* documentPieces(
  bounds: LayerBounds,
  layerTimeBounds: LayerTimeBounds,
  request: WmsRequest,
  metadata: ServiceMetadata & { groups: readonly ListedGroup[] },
): AsyncGenerator<string> {
  const { head, tail } = request.version === '1.3.0' ? frame13(metadata, request) : frame11(metadata, request)
  yield head
  const soon = waitLimit(longestTimesMs)
  const times = new Map(metadata.cards.map((card) => [card.id, layerTimeBounds.ofCard(card, soon)]))
  const writeLayer = async (card: LayerSummary): Promise<string> =>
    layerXml(request, card, { bounds: await bounds.of(card), times: await times.get(card.id) })
  for (const listed of metadata.groups) yield groupXml(request, listed, { bounds, writeLayer })
  const inside = idsInsideGroups(metadata.groups)
  for (const card of metadata.cards) if (!inside.has(card.id)) yield writeLayer(card)
  yield tail
}

/** Returns the layers that groups of the mode `NAMED` contain in the document. */
function idsInsideGroups(groups: readonly ListedGroup[]): ReadonlySet<number> {
  const named = groups.filter(({ group }) => group.mode === 'NAMED')
  return new Set(named.flatMap(({ layers }) => layers.map(({ card }) => card.id)))
}

async function groupXml(
  request: WmsRequest,
  { group, name, layers }: ListedGroup,
  { bounds, writeLayer }: { bounds: LayerBounds; writeLayer: (card: LayerSummary) => Promise<string> },
): Promise<string> {
  const cards = layers.map(({ card }) => card)
  const inside = group.mode === 'NAMED' ? await Promise.all(cards.toReversed().map(writeLayer)) : []
  const legend = `${request.request.link(servicePath(request))}?service=WMS&version=1.1.1&request=GetLegendGraphic&format=image/png&layer=${encodeURIComponent(name)}`
  return [
    '<Layer queryable="1">',
    textElement('Name', name),
    textElement('Title', group.title),
    textElement('Abstract', group.abstract),
    boundsXml(await boundsOfLayers(bounds, cards), request.version),
    styleXml(request, groupStyle, legend),
    ...inside,
    '</Layer>\n',
  ].join('')
}

function servicePath({ workspace }: WmsRequest): string {
  return workspace === undefined ? '/wms' : `/${encodeURIComponent(workspace)}/wms`
}

function serviceUrl(request: WmsRequest): string {
  return escapeXml(request.request.link(`${servicePath(request)}?`))
}

function resource(request: WmsRequest): string {
  return `<OnlineResource xmlns:xlink="http://www.w3.org/1999/xlink" xlink:type="simple" xlink:href="${serviceUrl(request)}"/>`
}

function operations(request: WmsRequest, capabilitiesType: string, legendName: string): string {
  const get = `<DCPType><HTTP><Get>${resource(request)}</Get></HTTP></DCPType>`
  const one = (name: string, formats: readonly string[]): string =>
    `<${name}>${formats.map((format) => textElement('Format', format)).join('')}${get}</${name}>`
  return [
    one('GetCapabilities', [capabilitiesType]),
    one('GetMap', mapFormats),
    one('GetFeatureInfo', infoFormats),
    legendName === '' ? '' : one(legendName, legendFormats),
  ].join('')
}

const abstract = 'Maps of the published layers'

/** Text before and after the layers. */
interface Frame {
  head: string
  tail: string
}

function frame13({ about, languages }: ServiceMetadata, request: WmsRequest): Frame {
  const crs = ['CRS:84', ...commonCrs].map((one) => textElement('CRS', one)).join('')
  const head = [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    '<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.opengis.net/wms http://schemas.opengis.net/wms/1.3.0/capabilities_1_3_0.xsd">',
    `<Service><Name>WMS</Name>${wmsHead(about, abstract)}${resource(request)}${wmsTail(about)}`,
    `<LayerLimit>${maxMapLayers}</LayerLimit><MaxWidth>${maxCells}</MaxWidth><MaxHeight>${maxCells}</MaxHeight></Service>`,
    `<Capability><Request>${operations(request, 'text/xml', '')}</Request><Exception><Format>XML</Format><Format>INIMAGE</Format><Format>BLANK</Format></Exception>${inspireView(about, languages)}`,
    `<Layer>${textElement('Title', about.title)}${crs}<EX_GeographicBoundingBox><westBoundLongitude>-180</westBoundLongitude><eastBoundLongitude>180</eastBoundLongitude><southBoundLatitude>-90</southBoundLatitude><northBoundLatitude>90</northBoundLatitude></EX_GeographicBoundingBox>`,
  ].join('')
  return { head, tail: '</Layer></Capability></WMS_Capabilities>\n' }
}

function frame11({ about }: ServiceMetadata, request: WmsRequest): Frame {
  const srs = commonCrs.map((one) => textElement('SRS', one)).join('')
  const head = [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    '<!DOCTYPE WMT_MS_Capabilities SYSTEM "http://schemas.opengis.net/wms/1.1.1/WMS_MS_Capabilities.dtd">\n',
    '<WMT_MS_Capabilities version="1.1.1">',
    `<Service><Name>OGC:WMS</Name>${wmsHead(about, abstract)}${resource(request)}${wmsTail(about)}</Service>`,
    `<Capability><Request>${operations(request, 'application/vnd.ogc.wms_xml', 'GetLegendGraphic')}</Request><Exception><Format>application/vnd.ogc.se_xml</Format><Format>application/vnd.ogc.se_inimage</Format><Format>application/vnd.ogc.se_blank</Format></Exception>`,
    `<Layer>${textElement('Title', about.title)}${srs}<LatLonBoundingBox minx="-180" miny="-90" maxx="180" maxy="90"/>`,
  ].join('')
  return { head, tail: '</Layer></Capability></WMT_MS_Capabilities>\n' }
}

/** Facts about a layer that are not in its card. */
interface FoundOut {
  bounds: number[] | undefined
  times: TimeBounds | undefined
}

function layerXml(request: WmsRequest, card: LayerSummary, { bounds, times }: FoundOut): string {
  const { version, workspace } = request
  const keywords = card.keywords.map((one) => textElement('Keyword', one)).join('')
  return [
    '<Layer queryable="1">',
    textElement('Name', workspace === undefined ? card.qualifiedName : card.name),
    textElement('Title', card.title === '' ? card.name : card.title),
    textElement('Abstract', card.abstract),
    keywords === '' ? '' : `<KeywordList>${keywords}</KeywordList>`,
    card.place.srs === undefined || commonCrs.includes(card.place.srs)
      ? ''
      : textElement(version === '1.3.0' ? 'CRS' : 'SRS', card.place.srs),
    boundsXml(bounds, version),
    times === undefined ? dimensionXml(card.times, version) : featureDimensionXml(times, version),
    card.attribution === undefined
      ? ''
      : `<Attribution>${textElement('Title', card.attribution)}</Attribution>`,
    ...[card.style, ...(card.styles ?? [])].map((style) =>
      styleXml(request, style, request.request.link(legendPath(card, style))),
    ),
    '</Layer>\n',
  ].join('')
}

/** Minimum extent of a box in degrees: no map can be requested of a single point. */
const minSide = 0.002

function sides(least: number, largest: number, limit: number): [least: number, largest: number] {
  if (largest - least >= minSide) return [least, largest]
  const middle = Math.max(minSide / 2 - limit, Math.min(limit - minSide / 2, (least + largest) / 2))
  return [rounded(middle - minSide / 2), rounded(middle + minSide / 2)]
}

function rounded(degrees: number): number {
  return Number(degrees.toFixed(9))
}

function boundsXml(bounds: number[] | undefined, version: WmsVersion): string {
  const [west = -180, lowest = -90, east = 180, highest = 90] = bounds ?? []
  const crosses = east > 180
  const [minX, maxX] = crosses ? [-180, 180] : sides(west, east, 180)
  const [south, north] = sides(lowest, highest, 90)
  if (version === '1.1.1')
    return `<LatLonBoundingBox minx="${minX}" miny="${south}" maxx="${maxX}" maxy="${north}"/>`
  return [
    `<EX_GeographicBoundingBox><westBoundLongitude>${minX}</westBoundLongitude><eastBoundLongitude>${maxX}</eastBoundLongitude>`,
    `<southBoundLatitude>${south}</southBoundLatitude><northBoundLatitude>${north}</northBoundLatitude></EX_GeographicBoundingBox>`,
    `<BoundingBox CRS="CRS:84" minx="${minX}" miny="${south}" maxx="${maxX}" maxy="${north}"/>`,
  ].join('')
}

function styleXml({ version }: WmsRequest, style: string, legend: string): string {
  // The size of a legend is known when it is drawn; 1.1.1 requires one.
  const size = version === '1.3.0' ? '' : ' width="200" height="200"'
  return [
    `<Style>${textElement('Name', style)}${textElement('Title', style)}`,
    `<LegendURL${size}><Format>image/png</Format>`,
    `<OnlineResource xmlns:xlink="http://www.w3.org/1999/xlink" xlink:type="simple" xlink:href="${escapeXml(legend)}"/></LegendURL></Style>`,
  ].join('')
}
