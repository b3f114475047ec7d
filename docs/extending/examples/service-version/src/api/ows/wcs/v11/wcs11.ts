import type { LayerSummary } from '../../../../catalog/index.ts'
import type { CapabilitiesDeps } from '../../ows-deps.ts'
import { owsException } from '../../ows-failure.ts'
import { sendPieces } from '../../send-pieces.ts'
import { textElement } from '../../service-about.ts'
import { readServiceMetadata } from '../../service-metadata.ts'
import { coverageIdOf } from '../coverage-names.ts'
import { listReadableCoverages, westAndEast } from '../listed-coverages.ts'
import type { WcsRequest, WcsVersion } from '../wcs-request.ts'

const mediaType = 'application/xml; charset=utf-8'
const head =
  '<?xml version="1.0" encoding="UTF-8"?>\n<Capabilities version="1.1.2" xmlns="http://www.opengis.net/wcs/1.1" xmlns:ows="http://www.opengis.net/ows/1.1"><Contents>'

function summaryXml(card: LayerSummary, bounds: readonly number[]): string {
  const [, south, , north] = bounds
  const [west, east] = westAndEast(bounds)
  const box = `<ows:LowerCorner>${west} ${south}</ows:LowerCorner><ows:UpperCorner>${east} ${north}</ows:UpperCorner>`
  return `<CoverageSummary>${textElement('ows:Title', card.title)}<ows:WGS84BoundingBox>${box}</ows:WGS84BoundingBox>${textElement('Identifier', coverageIdOf(card))}</CoverageSummary>\n`
}

async function* documentPieces(deps: CapabilitiesDeps, request: WcsRequest): AsyncGenerator<string> {
  const { cards } = await readServiceMetadata(deps, request)
  yield head
  yield* listReadableCoverages(deps.bounds, cards, (card, _srs, bounds) => summaryXml(card, bounds))
  yield '</Contents></Capabilities>\n'
}

/** WCS 1.1.2 (OGC 07-067r5): the list of coverages only. */
export const wcs11: WcsVersion = {
  name: '1.1.2',
  requested: /^1\.1(?:\.[0-2])?$/,
  isImplied: (values) => values.find('identifier') !== undefined,
  operations: {
    getcapabilities: async (deps, request) =>
      sendPieces(request.reply, mediaType, documentPieces(deps, request)),
  },
  exceptions: {
    mediaType,
    write: (exception) =>
      `<ows:ExceptionReport version="1.1.0" xmlns:ows="http://www.opengis.net/ows/1.1">${owsException(exception)}</ows:ExceptionReport>`,
  },
  unknownCoverage: (id) => ({ code: 'InvalidParameterValue', locator: id }),
}
