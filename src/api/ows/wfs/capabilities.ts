import type { LayerSummary } from '../../../catalog/index.ts'
import type { ServiceSettings } from '../../../core/config/service-settings.ts'
import { escapeXml } from '../../../core/text/escape.ts'
import { findCrs } from '../../../geo/crs-database.ts'
import type { LayerBounds } from '../../layer-bounds.ts'
import { namespaceOf } from '../../workspace-namespace.ts'
import { commonCrs, toUrn } from '../named-crs.ts'
import type { CapabilitiesDeps } from '../ows-deps.ts'
import { sendPieces } from '../send-pieces.ts'
import { inspireDownload, owsHead, owsProvider, owsTerms, textElement } from '../service-about.ts'
import type { ServiceMetadata } from '../service-metadata.ts'
import { readServiceMetadata } from '../service-metadata.ts'
import { namespacePrefix, typeNameOf } from '../type-names.ts'
import { filterCapabilities } from './filter-capabilities.ts'
import { listedFormats } from './output-formats.ts'
import { maxFeatures } from './send-page.ts'
import { wfsUrl } from './service-links.ts'
import { findEditableTypes } from './transaction/editable-types.ts'
import { olderCapabilities } from './v1/capabilities.ts'
import type { WfsRequest } from './wfs-request.ts'
import type { WfsVersion } from './wfs-version.ts'
import { wfsVersions, wordsOfVersion } from './wfs-version.ts'

const abstract = 'Features of the published layers'

/** Sends the capabilities (OGC 09-025r2, section 8; 04-094, section 13). */
export async function getCapabilities(deps: CapabilitiesDeps, request: WfsRequest): Promise<unknown> {
  const type = request.version === '2.0.0' ? 'application/xml' : 'text/xml'
  const metadata = await readServiceMetadata(deps, request)
  const cards = metadata.cards.filter(({ kind }) => kind !== 'raster')
  const editable = await findEditableTypes(deps, request, cards)
  const listed = { metadata: { ...metadata, cards }, editable }
  const { version } = request
  const pieces =
    version === '1.0.0'
      ? olderCapabilities(deps.bounds, request, listed)
      : documentPieces(deps.bounds, { ...request, version }, listed)
  return sendPieces(request.reply, `${type}; charset=utf-8`, pieces)
}

/** A request of a version whose capabilities are those of OWS Common. */
type OwsRequest = WfsRequest & { version: OwsVersion }
type OwsVersion = Exclude<WfsVersion, '1.0.0'>

/** Feature types that the caller may read. */
interface ListedTypes {
  metadata: ServiceMetadata
  /** Ids of the layers that the caller may edit. */
  editable: ReadonlySet<number>
}

async function* documentPieces(
  bounds: LayerBounds,
  request: OwsRequest,
  { metadata, editable }: ListedTypes,
): AsyncGenerator<string> {
  const { version } = request
  const { about, cards } = metadata
  yield `${head(version)}${identification(about, version)}${owsProvider(about)}${operationsMetadata(request, editable.size > 0)}`
  if (version === '2.0.0') yield* inspireDownload(metadata, cards, (card) => dataSetOf(request, card))
  yield '</ows:OperationsMetadata>'
  // The list is omitted if there are no types.
  const hasList = cards.length > 0
  if (hasList) yield '<FeatureTypeList>'
  if (hasList && version === '1.1.0') yield '<Operations><Operation>Query</Operation></Operations>'
  for (const card of cards)
    yield featureType(request, card, { bounds: await bounds.of(card), isEditable: editable.has(card.id) })
  yield `${hasList ? '</FeatureTypeList>' : ''}${filterCapabilities[version]}</WFS_Capabilities>\n`
}

function dataSetOf({ request }: WfsRequest, card: LayerSummary): { code: string; namespace: string } {
  return { code: typeNameOf(card), namespace: namespaceOf(request, card.workspace) }
}

function head(version: OwsVersion): string {
  const { wfs, wfsLocation, ows } = wordsOfVersion[version]
  const [fes, namespace] =
    version === '2.0.0' ? ['fes', 'http://www.opengis.net/fes/2.0'] : ['ogc', 'http://www.opengis.net/ogc']
  const gml = version === '2.0.0' ? 'http://www.opengis.net/gml/3.2' : 'http://www.opengis.net/gml'
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<WFS_Capabilities version="${version}" xmlns="${wfs}" xmlns:ows="${ows}" xmlns:${fes}="${namespace}" xmlns:gml="${gml}"`,
    ' xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
    ` xsi:schemaLocation="${wfs} ${wfsLocation}">`,
  ].join('')
}

function identification(about: ServiceSettings, version: WfsVersion): string {
  const versions = wfsVersions.map((one) => textElement('ows:ServiceTypeVersion', one)).join('')
  return [
    `<ows:ServiceIdentification>${owsHead(about, abstract)}`,
    `<ows:ServiceType${version === '2.0.0' ? ' codeSpace="http://www.opengeospatial.org/"' : ''}>WFS</ows:ServiceType>${versions}`,
    `${owsTerms(about, 'NONE')}</ows:ServiceIdentification>`,
  ].join('')
}

function allowed(version: WfsVersion, name: string, values: readonly string[]): string {
  const list = values.map((one) => textElement('ows:Value', one)).join('')
  const inside = version === '2.0.0' ? `<ows:AllowedValues>${list}</ows:AllowedValues>` : list
  return `<ows:Parameter name="${name}">${inside}</ows:Parameter>`
}

function operationsMetadata(request: WfsRequest, canEdit: boolean): string {
  const { version } = request
  const url = escapeXml(`${wfsUrl(request)}?`)
  const dcp = `<ows:DCP><ows:HTTP><ows:Get xlink:href="${url}"/><ows:Post xlink:href="${escapeXml(wfsUrl(request))}"/></ows:HTTP></ows:DCP>`
  const one = (name: string, parameters: string): string =>
    `<ows:Operation name="${name}">${dcp}${parameters}</ows:Operation>`
  const formats = allowed(version, 'outputFormat', listedFormats(version))
  // No property refers to anything that could be resolved.
  const resolve = version === '2.0.0' ? allowed(version, 'resolve', ['none', 'local']) : ''
  const results = `${allowed(version, 'resultType', ['results', 'hits'])}${resolve}`
  const schemas = version === '2.0.0' ? 'application/gml+xml; version=3.2' : 'text/xml; subtype=gml/3.1.1'
  return [
    '<ows:OperationsMetadata>',
    one('GetCapabilities', allowed(version, 'AcceptVersions', wfsVersions)),
    one('DescribeFeatureType', allowed(version, 'outputFormat', [schemas])),
    one('GetFeature', `${results}${formats}`),
    ...(version === '2.0.0'
      ? [
          one('GetPropertyValue', `${results}${allowed(version, 'outputFormat', [schemas])}`),
          one('ListStoredQueries', ''),
          one('DescribeStoredQueries', ''),
        ]
      : []),
    ...(canEdit ? editOperations(request) : []),
    ...(version === '2.0.0' ? constraints(canEdit) : []),
  ].join('')
}

/** Operations that change or lock features, for callers that may change some. */
function editOperations(request: WfsRequest): string[] {
  const { version } = request
  const dcp = `<ows:DCP><ows:HTTP><ows:Post xlink:href="${escapeXml(wfsUrl(request))}"/></ows:HTTP></ows:DCP>`
  const one = (name: string, parameters: string): string =>
    `<ows:Operation name="${name}">${dcp}${parameters}</ows:Operation>`
  const schema = version === '2.0.0' ? 'application/gml+xml; version=3.2' : 'text/xml; subtype=gml/3.1.1'
  const lockAction = allowed(version, 'lockAction', ['ALL', 'SOME'])
  const idgen = version === '2.0.0' ? '' : allowed(version, 'idgen', ['GenerateNew'])
  return [
    one('LockFeature', lockAction),
    one('GetFeatureWithLock', `${allowed(version, 'outputFormat', [schema])}${lockAction}`),
    one(
      'Transaction',
      `${allowed(version, 'inputFormat', [schema])}${idgen}${allowed(version, 'releaseAction', ['ALL', 'SOME'])}`,
    ),
  ]
}

/** Supported conformance classes of WFS 2.0 (OGC 09-025r2, table 13). */
const conformance = {
  ImplementsBasicWFS: true,
  ImplementsTransactionalWFS: false,
  ImplementsLockingWFS: false,
  KVPEncoding: true,
  XMLEncoding: true,
  SOAPEncoding: false,
  ImplementsInheritance: false,
  ImplementsRemoteResolve: false,
  ImplementsResultPaging: true,
  ImplementsStandardJoins: false,
  ImplementsSpatialJoins: false,
  ImplementsTemporalJoins: false,
  ImplementsFeatureVersioning: false,
  ManageStoredQueries: false,
  PagingIsTransactionSafe: false,
}

function constraints(canEdit: boolean): string[] {
  const editing = { ImplementsTransactionalWFS: canEdit, ImplementsLockingWFS: canEdit }
  const one = (name: string, value: string): string =>
    `<ows:Constraint name="${name}"><ows:NoValues/><ows:DefaultValue>${value}</ows:DefaultValue></ows:Constraint>`
  return [
    ...Object.entries({ ...conformance, ...editing }).map(([name, is]) => one(name, is ? 'TRUE' : 'FALSE')),
    one('CountDefault', String(maxFeatures)),
  ]
}

interface TypeFacts {
  bounds: number[] | undefined
  isEditable: boolean
}

function featureType(wfsRequest: WfsRequest, card: LayerSummary, { bounds, isEditable }: TypeFacts): string {
  const { version, request } = wfsRequest
  const prefix = namespacePrefix(card.workspace)
  const keywords = card.keywords.map((one) => textElement('ows:Keyword', one)).join('')
  return [
    `<FeatureType xmlns:${prefix}="${escapeXml(namespaceOf(request, card.workspace))}">`,
    textElement('Name', typeNameOf(card)),
    textElement('Title', card.title === '' ? card.name : card.title),
    textElement('Abstract', card.abstract),
    keywords === '' ? '' : `<ows:Keywords>${keywords}</ows:Keywords>`,
    systems(card, version),
    version === '1.1.0' && isEditable ? editableOperations : '',
    boundsXml(card, bounds),
    '</FeatureType>\n',
  ].join('')
}

/** WFS 1.1 lists the operations of each type; the others have those of the whole list. */
const editableOperations = `<Operations>${['Query', 'Insert', 'Update', 'Delete', 'Lock']
  .map((name) => textElement('Operation', name))
  .join('')}</Operations>`

function systems({ kind, place }: LayerSummary, version: WfsVersion): string {
  const word = version === '2.0.0' ? 'CRS' : 'SRS'
  const own = place.srs === undefined ? undefined : findCrs(place.srs)?.srs
  if (kind === 'table' || (own === undefined && place.crs === undefined)) return `<No${word}/>`
  const first = own === undefined ? 'urn:ogc:def:crs:OGC:1.3:CRS84' : toUrn(own)
  const others = commonCrs.filter((one) => one !== own).map((one) => textElement(`Other${word}`, toUrn(one)))
  return `${textElement(`Default${word}`, first)}${others.join('')}`
}

function boundsXml({ kind }: LayerSummary, bounds: number[] | undefined): string {
  if (kind === 'table') return ''
  const [west = -180, south = -90, east = 180, north = 90] = bounds ?? []
  const [minX, maxX] = east > 180 ? [-180, 180] : [west, east]
  return `<ows:WGS84BoundingBox><ows:LowerCorner>${minX} ${south}</ows:LowerCorner><ows:UpperCorner>${maxX} ${north}</ows:UpperCorner></ows:WGS84BoundingBox>`
}
