import type { LayerSummary } from '../../../../catalog/index.ts'
import type { ServiceSettings } from '../../../../core/config/service-settings.ts'
import { escapeXml } from '../../../../core/text/escape.ts'
import { toCrsUri } from '../../../crs-uris.ts'
import type { LayerBounds } from '../../../layer-bounds.ts'
import { namespaceOf } from '../../../workspace-namespace.ts'
import type { KeyValues } from '../../key-values.ts'
import { commonCrs } from '../../named-crs.ts'
import type { CapabilitiesDeps } from '../../ows-deps.ts'
import { OwsFailure } from '../../ows-failure.ts'
import { sendPieces } from '../../send-pieces.ts'
import {
  inspireDownload,
  owsHead,
  owsLanguages,
  owsProvider,
  owsTerms,
  textElement,
} from '../../service-about.ts'
import type { ServiceMetadata } from '../../service-metadata.ts'
import { readServiceMetadata } from '../../service-metadata.ts'
import { axesOf, ordered } from '../axes.ts'
import { coverageIdOf } from '../coverage-names.ts'
import { isCoverage, listReadableCoverages, westAndEast } from '../listed-coverages.ts'
import { offeredFormats } from '../output-formats.ts'
import type { WcsRequest } from '../wcs-request.ts'
import { wcsUrl } from '../wcs-request.ts'

/** Supported conformance classes of WCS 2.0 and its extensions. */
const profiles = [
  'http://www.opengis.net/spec/WCS/2.0/conf/core',
  'http://www.opengis.net/spec/WCS_protocol-binding_get-kvp/1.0/conf/get-kvp',
  'http://www.opengis.net/spec/WCS_protocol-binding_post-xml/1.0/conf/post-xml',
  'http://www.opengis.net/spec/GMLCOV_geotiff-coverages/1.0/conf/geotiff-coverage',
  'http://www.opengis.net/spec/WCS_geotiff-coverages/1.0/conf/geotiff-coverage',
  'http://www.opengis.net/spec/WCS_service-extension_crs/1.0/conf/crs',
  'http://www.opengis.net/spec/WCS_service-extension_scaling/1.0/conf/scaling',
  'http://www.opengis.net/spec/WCS_service-extension_range-subsetting/1.0/conf/record-subsetting',
  'http://www.opengis.net/spec/WCS_service-extension_interpolation/1.0/conf/interpolation',
]
const interpolations = ['nearest-neighbor', 'linear', 'cubic']
/** Sections that can be requested (OGC 06-121r9, table 7). */
const sectionNames = [
  'ServiceIdentification',
  'ServiceProvider',
  'OperationsMetadata',
  'ServiceMetadata',
  'Contents',
  'Languages',
  'All',
]

/** Sends the capabilities (OGC 09-110r4, section 8.2). */
export async function getCapabilities(deps: CapabilitiesDeps, request: WcsRequest): Promise<unknown> {
  const sections = readSections(request.values)
  const has = (name: string): boolean => sections === undefined || sections.includes(name)
  const metadata = await readServiceMetadata(deps, request)
  return sendPieces(
    request.reply,
    'application/xml; charset=utf-8',
    documentPieces(deps.bounds, request, { reported: metadata, has }),
  )
}

async function* documentPieces(
  bounds: LayerBounds,
  request: WcsRequest,
  { reported: metadata, has }: { reported: ServiceMetadata; has: (section: string) => boolean },
): AsyncGenerator<string> {
  const { about, languages } = metadata
  const coverages = metadata.cards.filter(isCoverage)
  yield head
  if (has('ServiceIdentification')) yield identification(about, request.offeredVersions)
  if (has('ServiceProvider')) yield owsProvider(about)
  if (has('OperationsMetadata')) {
    yield `<ows:OperationsMetadata>${operations(request)}`
    yield* inspireDownload(metadata, coverages, (card) => ({
      code: coverageIdOf(card),
      namespace: namespaceOf(request.request, card.workspace),
    }))
    yield '</ows:OperationsMetadata>'
  }
  if (has('Languages')) yield owsLanguages(languages)
  if (has('ServiceMetadata')) yield serviceMetadata()
  if (has('Contents')) {
    yield '<wcs:Contents>'
    yield* listReadableCoverages(bounds, coverages, coverageSummary)
    yield '</wcs:Contents>'
  }
  yield '</wcs:Capabilities>\n'
}

function readSections(values: KeyValues): string[] | undefined {
  const requested = values.list('sections').map((one) => one.trim())
  const strange = requested.find((one) => !sectionNames.includes(one))
  if (strange !== undefined)
    throw new OwsFailure(
      'InvalidParameterValue',
      `Section "${strange.slice(0, 60)}" does not exist: request ${sectionNames.join(', ')}`,
      'sections',
    )
  return requested.length === 0 || requested.includes('All') ? undefined : requested
}

/** Writes an element with its content. */
function textOf(name: string, inside: string): string {
  return `<${name}>${inside}</${name}>`
}

const head = [
  '<?xml version="1.0" encoding="UTF-8"?>\n',
  '<wcs:Capabilities version="2.0.1" xmlns:wcs="http://www.opengis.net/wcs/2.0" xmlns:ows="http://www.opengis.net/ows/2.0"',
  ' xmlns:crs="http://www.opengis.net/wcs/crs/1.0" xmlns:int="http://www.opengis.net/wcs/interpolation/1.0"',
  ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
  ' xsi:schemaLocation="http://www.opengis.net/wcs/2.0 http://schemas.opengis.net/wcs/2.0/wcsAll.xsd">',
].join('')

function identification(about: ServiceSettings, versions: readonly string[]): string {
  return [
    `<ows:ServiceIdentification>${owsHead(about, 'Coverages of the published layers')}`,
    '<ows:ServiceType>urn:ogc:service:wcs</ows:ServiceType>',
    ...versions.map((version) => textElement('ows:ServiceTypeVersion', version)),
    ...profiles.map((profile) => textElement('ows:Profile', profile)),
    `${owsTerms(about, 'NONE')}</ows:ServiceIdentification>`,
  ].join('')
}

function operations(request: WcsRequest): string {
  const url = escapeXml(wcsUrl(request))
  const encoding =
    '<ows:Constraint name="PostEncoding"><ows:AllowedValues><ows:Value>XML</ows:Value></ows:AllowedValues></ows:Constraint>'
  const http = `<ows:DCP><ows:HTTP><ows:Get xlink:href="${url}?"/><ows:Post xlink:href="${url}">${encoding}</ows:Post></ows:HTTP></ows:DCP>`
  const names = ['GetCapabilities', 'DescribeCoverage', 'GetCoverage']
  return names.map((name) => `<ows:Operation name="${name}">${http}</ows:Operation>`).join('')
}

function serviceMetadata(): string {
  const methods = interpolations.map((name) =>
    textElement('int:interpolationSupported', `http://www.opengis.net/def/interpolation/OGC/1/${name}`),
  )
  const systems = commonCrs.map((srs) => textElement('crs:supportedCrs', toCrsUri(srs)))
  const metadata = textOf('int:InterpolationMetadata', methods.join(''))
  return [
    '<wcs:ServiceMetadata>',
    ...offeredFormats.map((format) => textElement('wcs:formatSupported', format)),
    textOf('wcs:Extension', `${metadata}${systems.join('')}`),
    '</wcs:ServiceMetadata>',
  ].join('')
}

function coverageSummary(card: LayerSummary, srs: string, bounds: number[]): string {
  const [, south, , north] = bounds
  const [west, east] = westAndEast(bounds)
  const keywords = card.keywords.map((one) => textElement('ows:Keyword', one)).join('')
  return [
    '<wcs:CoverageSummary>',
    textElement('ows:Title', card.title === '' ? card.name : card.title),
    textElement('ows:Abstract', card.abstract),
    keywords === '' ? '' : textOf('ows:Keywords', keywords),
    `<ows:WGS84BoundingBox><ows:LowerCorner>${west} ${south}</ows:LowerCorner><ows:UpperCorner>${east} ${north}</ows:UpperCorner></ows:WGS84BoundingBox>`,
    textElement('wcs:CoverageId', coverageIdOf(card)),
    '<wcs:CoverageSubtype>RectifiedGridCoverage</wcs:CoverageSubtype>',
    boundingBox(card, srs),
    '</wcs:CoverageSummary>\n',
  ].join('')
}

function boundingBox({ place: { envelope } }: LayerSummary, srs: string): string {
  if (envelope === undefined) return ''
  const axes = axesOf(srs)
  const { minX, minY, maxX, maxY } = envelope
  return `<ows:BoundingBox crs="${toCrsUri(srs)}" dimensions="2"><ows:LowerCorner>${ordered([minX, minY], axes)}</ows:LowerCorner><ows:UpperCorner>${ordered([maxX, maxY], axes)}</ows:UpperCorner></ows:BoundingBox>`
}
