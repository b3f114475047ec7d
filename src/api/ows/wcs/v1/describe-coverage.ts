import type { LayerRecord, LayerTimes } from '../../../../catalog/index.ts'
import type { RasterBand } from '../../../../formats/worker.ts'
import { type CoverageGrid, cornerOf, envelopeOf } from '../../../../render/index.ts'
import { commonCrs } from '../../named-crs.ts'
import type { OwsDeps } from '../../ows-deps.ts'
import { textElement } from '../../service-about.ts'
import { abstractWithTerms } from '../../service-metadata.ts'
import { fieldNames } from '../bands.ts'
import { coverageNameOf, requireCoverages } from '../coverage-names.ts'
import { requireFewCoverages, requireGrid } from '../send-coverage.ts'
import type { WcsRequest } from '../wcs-request.ts'
import { briefXml } from './capabilities.ts'
import { olderFormats } from './get-coverage.ts'

const interpolations = ['nearest neighbor', 'bilinear', 'bicubic']

/** The cells and bands of coverages (OGC 03-065r6, section 8). */
export async function describeCoverage10(
  { catalog, bounds: layerBounds, coverages }: Pick<OwsDeps, 'catalog' | 'bounds' | 'coverages'>,
  wcsRequest: Omit<WcsRequest, 'offeredVersions' | 'coverage'>,
): Promise<unknown> {
  const { request, reply, values, workspace, version, signal } = wcsRequest
  const names = (values.find('coverage') ?? values.require('coverageid')).split(',')
  requireFewCoverages(names)
  const layers = await requireCoverages(catalog, request, names, { workspace, version })
  const described: string[] = []
  for (const layer of layers) {
    const grid = await requireGrid(coverages, layer, signal)
    const bounds = (await layerBounds.ofLayer(layer)) ?? [-180, -90, 180, 90]
    described.push(offering(layer, grid, bounds, workspace))
  }
  reply.header('cache-control', 'private, no-cache')
  reply.header('content-type', 'application/xml; charset=utf-8')
  return reply.send(`${head}${described.join('')}</CoverageDescription>\n`)
}

const head = [
  '<?xml version="1.0" encoding="UTF-8"?>\n',
  '<CoverageDescription version="1.0.0" xmlns="http://www.opengis.net/wcs" xmlns:gml="http://www.opengis.net/gml"',
  ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
  ' xsi:schemaLocation="http://www.opengis.net/wcs http://schemas.opengis.net/wcs/1.0.0/describeCoverage.xsd">',
].join('')

function offering(
  layer: LayerRecord,
  grid: CoverageGrid,
  bounds: readonly number[],
  workspace: string | undefined,
): string {
  const { title, keywords = [], times, raster } = layer.details
  const abstract = abstractWithTerms(layer.details)
  const coverage = coverageNameOf(layer, workspace)
  const systems = [grid.srs, ...commonCrs.filter((one) => one !== grid.srs)]
  return [
    '<CoverageOffering>',
    briefXml({ coverage, name: layer.name, title, abstract, keywords }, bounds, times),
    `<domainSet><spatialDomain>${envelope(grid)}${rectifiedGrid(grid)}</spatialDomain>${temporalDomain(times)}</domainSet>`,
    rangeSet(layer.name, raster?.bands ?? []),
    `<supportedCRSs>${systems.map((one) => textElement('requestResponseCRSs', one)).join('')}${textElement('nativeCRSs', grid.srs)}</supportedCRSs>`,
    `<supportedFormats nativeFormat="GeoTIFF">${olderFormats.map((one) => textElement('formats', one)).join('')}</supportedFormats>`,
    `<supportedInterpolations default="nearest neighbor">${interpolations.map((one) => textElement('interpolationMethod', one)).join('')}</supportedInterpolations>`,
    '</CoverageOffering>\n',
  ].join('')
}

/** In WCS 1.0 x or longitude comes first, whatever the CRS. */
function envelope(grid: CoverageGrid): string {
  const { minX, minY, maxX, maxY } = envelopeOf(grid)
  return `<gml:Envelope srsName="${grid.srs}"><gml:pos>${minX} ${minY}</gml:pos><gml:pos>${maxX} ${maxY}</gml:pos></gml:Envelope>`
}

function rectifiedGrid(grid: CoverageGrid): string {
  const [, ax = 0, bx = 0, , ay = 0, by = 0] = grid.geoTransform
  return [
    `<gml:RectifiedGrid srsName="${grid.srs}" dimension="2">`,
    `<gml:limits><gml:GridEnvelope><gml:low>0 0</gml:low><gml:high>${grid.width - 1} ${grid.height - 1}</gml:high></gml:GridEnvelope></gml:limits>`,
    '<gml:axisName>x</gml:axisName><gml:axisName>y</gml:axisName>',
    `<gml:origin><gml:pos>${cornerOf(grid, 0.5, 0.5).join(' ')}</gml:pos></gml:origin>`,
    `<gml:offsetVector>${ax} ${ay}</gml:offsetVector><gml:offsetVector>${bx} ${by}</gml:offsetVector>`,
    '</gml:RectifiedGrid>',
  ].join('')
}

function temporalDomain(times: LayerTimes | undefined): string {
  if (times === undefined) return ''
  const { from, to, values } = times
  const inside =
    values.length === 0
      ? `<timePeriod><beginPosition>${from}</beginPosition><endPosition>${to}</endPosition></timePeriod>`
      : values.map((value) => `<gml:timePosition>${value}</gml:timePosition>`).join('')
  return `<temporalDomain>${inside}</temporalDomain>`
}

function rangeSet(name: string, bands: readonly RasterBand[]): string {
  const names = fieldNames(bands)
  const axis = [
    '<axisDescription><AxisDescription><name>Band</name><label>Band</label>',
    `<values>${bands.map((_, index) => textElement('singleValue', String(index + 1))).join('')}</values>`,
    '</AxisDescription></axisDescription>',
  ].join('')
  const nils = new Set(bands.flatMap(({ noData }) => (noData === undefined ? [] : [String(noData)])))
  const [nil, ...others] = nils
  const nulls =
    nil === undefined || others.length > 0 ? '' : `<nullValues><singleValue>${nil}</singleValue></nullValues>`
  const label = names.length === 1 ? (names[0] ?? name) : name
  return `<rangeSet><RangeSet>${textElement('name', name)}${textElement('label', label)}${axis}${nulls}</RangeSet></rangeSet>`
}
