import type { LayerSummary } from '../../../catalog/index.ts'
import type { ServiceSettings } from '../../../core/config/service-settings.ts'
import { escapeXml } from '../../../core/text/escape.ts'
import { mercatorOfDegrees } from '../../../render/index.ts'
import { boundsOfLayers } from '../../bounds-of-layers.ts'
import type { LayerBounds } from '../../layer-bounds.ts'
import { layerSegment } from '../../tiles/named-layers.ts'
import { mvt } from '../../tiles/send-tile.ts'
import { tokenForLinks } from '../../url-token.ts'
import type { KeyValues } from '../key-values.ts'
import { legendPath } from '../legend-path.ts'
import type { ListedGroup } from '../listed-groups.ts'
import { listReadableGroups } from '../listed-groups.ts'
import type { CapabilitiesDeps } from '../ows-deps.ts'
import { sendPieces } from '../send-pieces.ts'
import { owsHead, owsProvider, owsTerms, textElement } from '../service-about.ts'
import type { ServiceMetadata } from '../service-metadata.ts'
import { readServiceMetadata } from '../service-metadata.ts'
import { infoFormats } from '../wms/feature-info.ts'
import { groupStyle } from '../wms/get-map.ts'
import { matricesOf, namedMatrixSets } from './matrix-sets.ts'
import type { WmtsRequest } from './tile-request.ts'

/** Degrees of latitude at the edge of web mercator, a little within. */
const utmost = 85.0511287
const head = [
  '<?xml version="1.0" encoding="UTF-8"?>\n',
  '<Capabilities xmlns="http://www.opengis.net/wmts/1.0" xmlns:ows="http://www.opengis.net/ows/1.1" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.opengis.net/wmts/1.0 http://schemas.opengis.net/wmts/1.0/wmtsGetCapabilities_response.xsd" version="1.0.0">',
].join('')

/** Sends the capabilities (OGC 07-057r7, section 7.1). */
export async function getCapabilities(
  deps: CapabilitiesDeps,
  request: WmtsRequest,
  values: KeyValues,
): Promise<unknown> {
  const { cards, ...metadata } = await readServiceMetadata(deps, { ...request, values })
  const drawn = cards.filter(isDrawn)
  const groups = await listReadableGroups(deps.catalog, request.workspace, drawn)
  return sendPieces(
    request.reply,
    'application/xml; charset=utf-8',
    documentPieces(deps.bounds, request, { ...metadata, cards: drawn, groups }),
  )
}

async function* documentPieces(
  bounds: LayerBounds,
  request: WmtsRequest,
  { about, cards, groups }: ServiceMetadata & { groups: readonly ListedGroup[] },
): AsyncGenerator<string> {
  yield `${head}${serviceXml(about, request)}<Contents>\n`
  for (const listed of groups) yield groupXml(request, listed, bounds)
  for (const card of cards) yield layerXml(request, card, await bounds.of(card))
  yield `${matrixSets}</Contents>\n${metadataUrl(request)}</Capabilities>\n`
}

/** Layers without geometry cannot be mapped. */
function isDrawn({ kind, place }: LayerSummary): boolean {
  return kind === 'raster' || place.envelope !== undefined || place.srs !== undefined
}

/** An address of the service with the token that the client came by. */
function withToken({ request, servicePath }: WmtsRequest, path: string, mark: '?' | '&' = '?'): string {
  const token = tokenForLinks(request)
  const href = `${request.link(servicePath)}${path}`
  return escapeXml(token === '' ? href : `${href}${mark}${token}`)
}

function metadataUrl(request: WmtsRequest): string {
  return `<ServiceMetadataURL xlink:href="${withToken(request, '/1.0.0/WMTSCapabilities.xml')}"/>\n`
}

function serviceXml(about: ServiceSettings, request: WmtsRequest): string {
  const get = (path: string, encoding: string): string =>
    `<ows:Get xlink:href="${path}"><ows:Constraint name="GetEncoding"><ows:AllowedValues><ows:Value>${encoding}</ows:Value></ows:AllowedValues></ows:Constraint></ows:Get>`
  const token = tokenForLinks(request.request)
  const keyed = escapeXml(`${request.request.link(request.servicePath)}?${token === '' ? '' : `${token}&`}`)
  const operation = (name: string): string =>
    `<ows:Operation name="${name}"><ows:DCP><ows:HTTP>${get(keyed, 'KVP')}</ows:HTTP></ows:DCP></ows:Operation>\n`
  return [
    `<ows:ServiceIdentification>${owsHead(about, 'Tiles of the published layers')}<ows:ServiceType>OGC WMTS</ows:ServiceType><ows:ServiceTypeVersion>1.0.0</ows:ServiceTypeVersion>${owsTerms(about, 'none')}</ows:ServiceIdentification>\n`,
    `${owsProvider(about)}\n`,
    `<ows:OperationsMetadata>\n${['GetCapabilities', 'GetTile', 'GetFeatureInfo'].map(operation).join('')}</ows:OperationsMetadata>\n`,
  ].join('')
}

function layerXml(request: WmtsRequest, card: LayerSummary, bounds: number[] | undefined): string {
  const { workspace } = request
  const keywords = card.keywords.map((one) => textElement('ows:Keyword', one)).join('')
  const pictures = ['image/png', 'image/jpeg']
  const formats = card.kind === 'raster' ? pictures : [...pictures, mvt]
  return [
    '<Layer>',
    textElement('ows:Title', card.title === '' ? card.name : card.title),
    textElement('ows:Abstract', card.abstract),
    keywords === '' ? '' : `<ows:Keywords>${keywords}</ows:Keywords>`,
    boxXml(bounds),
    textElement('ows:Identifier', workspace === undefined ? card.qualifiedName : card.name),
    mercatorBoxXml(bounds),
    ...[card.style, ...(card.styles ?? [])].map((style) => styleXml(request, card, style)),
    ...formats.map((format) => textElement('Format', format)),
    ...(card.kind === 'raster' ? [] : infoFormats.map((format) => textElement('InfoFormat', format))),
    dimensionXml(card),
    setLinks,
    ...resourceUrls(request, card),
    '</Layer>\n',
  ].join('')
}

/** Writes a group, whose tiles are images: vector tiles have the names of its layers. */
async function groupXml(
  request: WmtsRequest,
  { group, name, layers }: ListedGroup,
  bounds: LayerBounds,
): Promise<string> {
  const box = await boundsOfLayers(
    bounds,
    layers.map(({ card }) => card),
  )
  const tile = `/rest/${encodeURIComponent(name).replace('%3A', ':')}/{style}/{TileMatrixSet}/{TileMatrix}/{TileRow}/{TileCol}`
  const isQueryable = layers.some(({ card }) => card.kind !== 'raster')
  return [
    '<Layer>',
    textElement('ows:Title', group.title),
    textElement('ows:Abstract', group.abstract),
    boxXml(box),
    textElement('ows:Identifier', name),
    mercatorBoxXml(box),
    `<Style isDefault="true">${textElement('ows:Identifier', groupStyle)}</Style>`,
    ...['image/png', 'image/jpeg'].map((format) => textElement('Format', format)),
    ...(isQueryable ? infoFormats.map((format) => textElement('InfoFormat', format)) : []),
    setLinks,
    resourceUrl(request, 'image/png', 'tile', `${tile}.png`),
    resourceUrl(request, 'image/jpeg', 'tile', `${tile}.jpg`),
    ...(isQueryable ? infoUrls(request, tile) : []),
    '</Layer>\n',
  ].join('')
}

function infoUrls(request: WmtsRequest, tile: string): string[] {
  return infoFormats.map((format) =>
    resourceUrl(request, format, 'FeatureInfo', `${tile}/{J}/{I}?format=${encodeURIComponent(format)}`),
  )
}

function resourceUrl(request: WmtsRequest, format: string, type: string, path: string): string {
  const template = withToken(request, path, path.includes('?') ? '&' : '?')
  return `<ResourceURL format="${escapeXml(format)}" resourceType="${type}" template="${template}"/>`
}

function boxXml(bounds: number[] | undefined): string {
  const [west = -180, south = -90, east = 180, north = 90] = bounds ?? []
  const [minX, maxX] = east > 180 ? [-180, 180] : [west, east]
  return `<ows:WGS84BoundingBox><ows:LowerCorner>${minX} ${south}</ows:LowerCorner><ows:UpperCorner>${maxX} ${north}</ows:UpperCorner></ows:WGS84BoundingBox>`
}

/** Writes the box in web mercator, without areas near the poles. */
function mercatorBoxXml(bounds: number[] | undefined): string {
  const [west = -180, south = -90, east = 180, north = 90] = bounds ?? []
  const [minX, maxX] = east > 180 ? [-180, 180] : [west, east]
  const within = (latitude: number): number => Math.min(utmost, Math.max(-utmost, latitude))
  const [left, bottom] = mercatorOfDegrees(minX, within(south))
  const [right, top] = mercatorOfDegrees(maxX, within(north))
  return `<ows:BoundingBox crs="urn:ogc:def:crs:EPSG::3857"><ows:LowerCorner>${left} ${bottom}</ows:LowerCorner><ows:UpperCorner>${right} ${top}</ows:UpperCorner></ows:BoundingBox>`
}

function styleXml({ request }: WmtsRequest, card: LayerSummary, style: string): string {
  const legend = escapeXml(request.link(legendPath(card, style)))
  return `<Style isDefault="${style === card.style}">${textElement('ows:Identifier', style)}<LegendURL format="image/png" xlink:href="${legend}"/></Style>`
}

/** Times of a mosaic (OGC 07-057r7, section 7.1.1.1). */
function dimensionXml({ times }: LayerSummary): string {
  if (times === undefined) return ''
  const { from, to, values } = times
  const reported = values.length > 0 ? values : [`${from}/${to}`]
  return [
    `<Dimension><ows:Identifier>time</ows:Identifier><ows:UOM>ISO8601</ows:UOM>${textElement('Default', to)}`,
    ...reported.map((value) => textElement('Value', value)),
    '</Dimension>',
  ].join('')
}

function resourceUrls(request: WmtsRequest, card: LayerSummary): string[] {
  const name = request.workspace === undefined ? layerSegment(card) : encodeURIComponent(card.name)
  const tile = `/rest/${name}/{style}/{TileMatrixSet}/{TileMatrix}/{TileRow}/{TileCol}`
  const url = (format: string, type: string, path: string): string => resourceUrl(request, format, type, path)
  const time = card.times === undefined ? '' : '?time={time}'
  const png = url('image/png', 'tile', `${tile}.png${time}`)
  const jpeg = url('image/jpeg', 'tile', `${tile}.jpg${time}`)
  if (card.kind === 'raster') return [png, jpeg]
  return [png, jpeg, url(mvt, 'tile', `${tile}.mvt`), ...infoUrls(request, tile)]
}

const setLinks = namedMatrixSets
  .map(({ name }) => `<TileMatrixSetLink><TileMatrixSet>${name}</TileMatrixSet></TileMatrixSetLink>`)
  .join('')

const matrixSets = namedMatrixSets
  .map(({ name, crs, set, prefix, corner, wellKnown }) => {
    const matrices = matricesOf(set).map(({ columns, rows, scale }, zoom) =>
      [
        `<TileMatrix><ows:Identifier>${prefix}${zoom}</ows:Identifier><ScaleDenominator>${scale}</ScaleDenominator>`,
        `<TopLeftCorner>${corner}</TopLeftCorner><TileWidth>256</TileWidth><TileHeight>256</TileHeight>`,
        `<MatrixWidth>${columns}</MatrixWidth><MatrixHeight>${rows}</MatrixHeight></TileMatrix>`,
      ].join(''),
    )
    const known = textElement('WellKnownScaleSet', wellKnown)
    return `<TileMatrixSet><ows:Identifier>${name}</ows:Identifier><ows:SupportedCRS>${crs}</ows:SupportedCRS>${known}${matrices.join('')}</TileMatrixSet>\n`
  })
  .join('')
