import type { LayerRecord, LayerTimes } from '../../../../catalog/index.ts'
import { escapeXml } from '../../../../core/text/escape.ts'
import { ownValue } from '../../../../core/values/record-keys.ts'
import type { RasterBand } from '../../../../formats/worker.ts'
import { type CoverageGrid, cornerOf, envelopeOf } from '../../../../render/index.ts'
import { toCrsUri } from '../../../crs-uris.ts'
import type { OwsDeps } from '../../ows-deps.ts'
import { textElement } from '../../service-about.ts'
import type { CrsAxes } from '../axes.ts'
import { axesOf, ordered } from '../axes.ts'
import { fieldNames } from '../bands.ts'
import { coverageIdOf, requireCoverages } from '../coverage-names.ts'
import { offeredFormats } from '../output-formats.ts'
import { requireFewCoverages, requireGrid } from '../send-coverage.ts'
import type { WcsRequest } from '../wcs-request.ts'

/** The cells and bands of coverages (OGC 09-110r4, section 8.3). */
export async function describeCoverage(
  { catalog, coverages }: Pick<OwsDeps, 'catalog' | 'coverages'>,
  wcsRequest: Omit<WcsRequest, 'offeredVersions' | 'coverage'>,
): Promise<unknown> {
  const { request, reply, values, workspace, version, signal } = wcsRequest
  const ids = values.require('coverageid').split(',')
  requireFewCoverages(ids)
  const layers = await requireCoverages(catalog, request, ids, { workspace, version })
  const described: string[] = []
  for (const layer of layers) described.push(describe(layer, await requireGrid(coverages, layer, signal)))
  reply.header('cache-control', 'private, no-cache')
  reply.header('content-type', 'application/xml; charset=utf-8')
  return reply.send(`${head}${described.join('')}</wcs:CoverageDescriptions>\n`)
}

const head = [
  '<?xml version="1.0" encoding="UTF-8"?>\n',
  '<wcs:CoverageDescriptions xmlns:wcs="http://www.opengis.net/wcs/2.0" xmlns:gml="http://www.opengis.net/gml/3.2"',
  ' xmlns:gmlcov="http://www.opengis.net/gmlcov/1.0" xmlns:swe="http://www.opengis.net/swe/2.0"',
  ' xmlns:wcsgs="http://www.geoserver.org/wcsgs/2.0"',
  ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
  ' xsi:schemaLocation="http://www.opengis.net/wcs/2.0 http://schemas.opengis.net/wcs/2.0/wcsAll.xsd">',
].join('')

function describe(layer: LayerRecord, grid: CoverageGrid): string {
  const { title, abstract, raster, times } = layer.details
  const id = coverageIdOf(layer)
  return [
    `<wcs:CoverageDescription gml:id="${id}">`,
    textElement('gml:description', abstract),
    textElement('gml:name', title === '' ? layer.name : title),
    boundedBy(grid, times),
    textElement('wcs:CoverageId', id),
    '<gml:coverageFunction><gml:GridFunction><gml:sequenceRule axisOrder="+1 +2">Linear</gml:sequenceRule><gml:startPoint>0 0</gml:startPoint></gml:GridFunction></gml:coverageFunction>',
    times === undefined ? '' : timeMetadata(id, times),
    `<gml:domainSet>${rectifiedGrid(grid, id)}</gml:domainSet>`,
    rangeType(raster?.bands ?? []),
    `<wcs:ServiceParameters><wcs:CoverageSubtype>RectifiedGridCoverage</wcs:CoverageSubtype><wcs:nativeFormat>${offeredFormats[0]}</wcs:nativeFormat></wcs:ServiceParameters>`,
    '</wcs:CoverageDescription>\n',
  ].join('')
}

function boundedBy(grid: CoverageGrid, times: LayerTimes | undefined): string {
  const axes = axesOf(grid.srs)
  const { minX, minY, maxX, maxY } = envelopeOf(grid)
  const corners = `<gml:lowerCorner>${ordered([minX, minY], axes)}</gml:lowerCorner><gml:upperCorner>${ordered([maxX, maxY], axes)}</gml:upperCorner>`
  if (times === undefined) {
    const marks = crsMarks(grid.srs, axes.labels, axes.units)
    return `<gml:boundedBy><gml:Envelope ${marks}>${corners}</gml:Envelope></gml:boundedBy>`
  }
  const marks = crsMarks(grid.srs, [...axes.labels, 'time'], [...axes.units, 's'])
  const { from, to } = times
  return `<gml:boundedBy><gml:EnvelopeWithTimePeriod ${marks}>${corners}<gml:beginPosition>${from}</gml:beginPosition><gml:endPosition>${to}</gml:endPosition></gml:EnvelopeWithTimePeriod></gml:boundedBy>`
}

function crsMarks(srs: string, labels: readonly string[], units: readonly string[]): string {
  return `srsName="${toCrsUri(srs)}" axisLabels="${labels.join(' ')}" uomLabels="${units.map(escapeXml).join(' ')}" srsDimension="2"`
}

/**
 * Writes all times of a mosaic if there are not too many, otherwise the first and the last, as GeoServer
 * does.
 */
function timeMetadata(id: string, { from, to, values }: LayerTimes): string {
  const instants = values.map(
    (value, index) =>
      `<gml:TimeInstant gml:id="${id}_td_${index}"><gml:timePosition>${value}</gml:timePosition></gml:TimeInstant>`,
  )
  const period = `<gml:TimePeriod gml:id="${id}_tp_0"><gml:beginPosition>${from}</gml:beginPosition><gml:endPosition>${to}</gml:endPosition></gml:TimePeriod>`
  const inside = instants.length === 0 ? period : instants.join('')
  return `<gmlcov:metadata><gmlcov:Extension><wcsgs:TimeDomain default="${to}">${inside}</wcsgs:TimeDomain></gmlcov:Extension></gmlcov:metadata>`
}

/** The middle of the first cell, and the ways to the next column and to the next row. */
function rectifiedGrid(grid: CoverageGrid, id: string): string {
  const axes: CrsAxes = axesOf(grid.srs)
  const srsName = `srsName="${toCrsUri(grid.srs)}"`
  const [, ax = 0, bx = 0, , ay = 0, by = 0] = grid.geoTransform
  const offset = (way: [number, number]): string =>
    `<gml:offsetVector ${srsName}>${ordered(way, axes)}</gml:offsetVector>`
  return [
    `<gml:RectifiedGrid gml:id="${id}_grid" dimension="2">`,
    `<gml:limits><gml:GridEnvelope><gml:low>0 0</gml:low><gml:high>${grid.width - 1} ${grid.height - 1}</gml:high></gml:GridEnvelope></gml:limits>`,
    '<gml:axisLabels>i j</gml:axisLabels>',
    `<gml:origin><gml:Point gml:id="${id}_origin" ${srsName}><gml:pos>${ordered(cornerOf(grid, 0.5, 0.5), axes)}</gml:pos></gml:Point></gml:origin>`,
    offset([ax, ay]),
    offset([bx, by]),
    '</gml:RectifiedGrid>',
  ].join('')
}

/** Value ranges of integer cells. */
const ranges = {
  Byte: [0, 255],
  Int8: [-128, 127],
  UInt16: [0, 65_535],
  Int16: [-32_768, 32_767],
  UInt32: [0, 4_294_967_295],
  Int32: [-2_147_483_648, 2_147_483_647],
  UInt64: [0, 2n ** 64n - 1n],
  Int64: [-(2n ** 63n), 2n ** 63n - 1n],
} satisfies Record<string, [low: number | bigint, high: number | bigint]>
const words: Record<string, string> = { nan: 'NaN', inf: 'INF', '-inf': '-INF' }

function rangeType(bands: readonly RasterBand[]): string {
  const names = fieldNames(bands)
  const fields = bands.map((band, index) => field(names[index] ?? '', band))
  return `<gmlcov:rangeType><swe:DataRecord>${fields.join('')}</swe:DataRecord></gmlcov:rangeType>`
}

function field(name: string, { dataType, noData, description, unit }: RasterBand): string {
  const nil = noData === undefined ? '' : (ownValue(words, String(noData)) ?? String(noData))
  const range = ownValue<[low: number | bigint, high: number | bigint]>(ranges, dataType)
  return [
    `<swe:field name="${name}"><swe:Quantity>`,
    textElement('swe:description', description),
    nil === ''
      ? ''
      : `<swe:nilValues><swe:NilValues><swe:nilValue reason="http://www.opengis.net/def/nil/OGC/0/unknown">${nil}</swe:nilValue></swe:NilValues></swe:nilValues>`,
    `<swe:uom code="${escapeXml(unitCode(unit))}"/>`,
    range === undefined
      ? ''
      : `<swe:constraint><swe:AllowedValues><swe:interval>${range[0]} ${range[1]}</swe:interval></swe:AllowedValues></swe:constraint>`,
    '</swe:Quantity></swe:field>',
  ].join('')
}

/** Returns a unit code without spaces and colons; `1` for numbers without a unit. */
function unitCode(unit: string | undefined): string {
  const code = (unit ?? '').replaceAll(/[\s:]/g, '_')
  return code === '' ? '10^0' : code
}
