import type { LayerSummary } from '../../../../catalog/index.ts'
import { escapeXml } from '../../../../core/text/escape.ts'
import type { LayerBounds } from '../../../layer-bounds.ts'
import type { CapabilitiesDeps } from '../../ows-deps.ts'
import { sendPieces } from '../../send-pieces.ts'
import { textElement, wcs10Service } from '../../service-about.ts'
import type { ServiceMetadata } from '../../service-metadata.ts'
import { readServiceMetadata } from '../../service-metadata.ts'
import { coverageNameOf } from '../coverage-names.ts'
import { listReadableCoverages, westAndEast } from '../listed-coverages.ts'
import type { WcsRequest } from '../wcs-request.ts'
import { wcsUrl } from '../wcs-request.ts'

/** Sends the capabilities of WCS 1.0 (OGC 03-065r6, section 7). */
export async function getCapabilities10(deps: CapabilitiesDeps, request: WcsRequest): Promise<unknown> {
  const metadata = await readServiceMetadata(deps, request)
  return sendPieces(
    request.reply,
    'application/xml; charset=utf-8',
    documentPieces(deps.bounds, request, metadata),
  )
}

async function* documentPieces(
  layerBounds: LayerBounds,
  request: WcsRequest,
  { about, cards }: ServiceMetadata,
): AsyncGenerator<string> {
  yield `${head}${wcs10Service(about)}${capability(escapeXml(wcsUrl(request)))}<ContentMetadata>`
  yield* listReadableCoverages(layerBounds, cards, (card, _srs, bounds) =>
    offering(card, bounds, request.workspace),
  )
  yield '</ContentMetadata></WCS_Capabilities>\n'
}

const head = [
  '<?xml version="1.0" encoding="UTF-8"?>\n',
  '<WCS_Capabilities version="1.0.0" xmlns="http://www.opengis.net/wcs" xmlns:gml="http://www.opengis.net/gml"',
  ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
  ' xsi:schemaLocation="http://www.opengis.net/wcs http://schemas.opengis.net/wcs/1.0.0/wcsCapabilities.xsd">',
].join('')

function capability(url: string): string {
  const place = `<DCPType><HTTP><Get><OnlineResource xlink:href="${url}?"/></Get></HTTP></DCPType>`
  const names = ['GetCapabilities', 'DescribeCoverage', 'GetCoverage']
  const requests = names.map((name) => `<${name}>${place}</${name}>`).join('')
  return `<Capability><Request>${requests}</Request><Exception><Format>application/vnd.ogc.se_xml</Format></Exception></Capability>`
}

function offering(card: LayerSummary, bounds: number[], workspace: string | undefined): string {
  return `<CoverageOfferingBrief>${briefXml(
    { ...card, coverage: coverageNameOf(card, workspace) },
    bounds,
    card.times,
  )}</CoverageOfferingBrief>\n`
}

interface Brief {
  coverage: string
  name: string
  title: string
  abstract: string | undefined
  keywords: readonly string[]
}

/** Writes the common beginning of lists and descriptions in WCS 1.0. */
export function briefXml(
  { coverage, name, title, abstract, keywords }: Brief,
  bounds: readonly number[],
  times: { from: string; to: string } | undefined,
): string {
  const [, south, , north] = bounds
  const [west, east] = westAndEast(bounds)
  const words = keywords.map((one) => textElement('keyword', one)).join('')
  const positions =
    times === undefined
      ? ''
      : `<gml:timePosition>${times.from}</gml:timePosition><gml:timePosition>${times.to}</gml:timePosition>`
  return [
    textElement('description', abstract),
    textElement('name', coverage),
    textElement('label', title === '' ? name : title),
    `<lonLatEnvelope srsName="urn:ogc:def:crs:OGC:1.3:CRS84"><gml:pos>${west} ${south}</gml:pos><gml:pos>${east} ${north}</gml:pos>${positions}</lonLatEnvelope>`,
    words === '' ? '' : `<keywords>${words}</keywords>`,
  ].join('')
}
