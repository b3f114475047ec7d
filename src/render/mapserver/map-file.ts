import { createHash } from 'node:crypto'
import { invalid } from '../../core/errors/errors.ts'
import { findCrs } from '../../geo/crs-database.ts'
import { type DrawnPart, mapFileNumber, markSymbols, quoteMapText } from '../../styles/index.ts'

/** Source of a part's rows, in the terms of a map file. */
export interface PartSource {
  /** Returns CONNECTIONTYPE, CONNECTION and DATA for the drawn columns and rows. */
  lines(part: Pick<DrawnPart, 'columns' | 'where'>): string[]
  projection: string
}

/** A layer to draw, with its parts in drawing order. */
export interface MapFileLayer {
  source: PartSource
  parts: readonly DrawnPart[]
}

/** Resolution in dots per inch for the OGC pixel of 0.28 mm. */
const resolution = 25.4 / 0.28

/**
 * Returns the `PROJECTION` of a CRS; throws `Failure` (`unknown-crs`) for a CRS that MapServer does not
 * support.
 */
export function projectionOf(srs: string): string {
  const record = findCrs(srs)
  if (record?.authority === 'EPSG') return `PROJECTION "init=epsg:${record.code}" END`
  if (record?.proj4 === undefined) throw invalid('unknown-crs', `Maps cannot be drawn in "${srs}"`)
  const words = record.proj4.split(/\s+/).filter((word) => word !== '')
  return `PROJECTION ${words.map((word) => quoteMapText(word.replace(/^\+/, ''))).join(' ')} END`
}

/**
 * Returns the names of the layers of a map file in their order; a style that draws nothing has a layer
 * without features.
 */
export function partNames(layers: readonly MapFileLayer[]): string[] {
  const names = layers.flatMap(({ parts }, at) => parts.map((_, index) => `l${at}p${index}`))
  return names.length === 0 ? [nothing] : names
}

const nothing = 'nothing'

/**
 * Returns a map file (MapServer 8.0) of exactly these layers, for GetMap in one CRS. `density`: pixels per
 * OGC pixel. `labelMargin`: width of the margin without labels, in pixels.
 */
export function mapFileText(
  layers: readonly MapFileLayer[],
  srs: string,
  folder: string,
  { density = 1, labelMargin = 0 }: { density?: number; labelMargin?: number } = {},
): string {
  const names = partNames(layers)
  const blocks = layers.flatMap(({ source, parts }) => parts.map((part) => ({ source, part })))
  return [
    'MAP',
    'NAME "map"',
    'SIZE 256 256',
    'EXTENT -180 -90 180 90',
    'MAXSIZE 16384',
    `RESOLUTION ${mapFileNumber(resolution * density)}`,
    `DEFRESOLUTION ${mapFileNumber(resolution)}`,
    `FONTSET ${quoteMapText(`${folder}/fonts.txt`)}`,
    'CONFIG "MS_ERRORFILE" "stderr"',
    'CONFIG "PROJ_NETWORK" "OFF"',
    projectionOf(srs),
    'OUTPUTFORMAT NAME "png" DRIVER "AGG/PNG" MIMETYPE "image/png" IMAGEMODE RGBA FORMATOPTION "COMPRESSION=3" END',
    'OUTPUTFORMAT NAME "png8" DRIVER "AGG/PNG" MIMETYPE "image/png; mode=8bit" IMAGEMODE RGBA FORMATOPTION "QUANTIZE_FORCE=on" FORMATOPTION "QUANTIZE_COLORS=256" END',
    'OUTPUTFORMAT NAME "jpeg" DRIVER "AGG/JPEG" MIMETYPE "image/jpeg" IMAGEMODE RGB FORMATOPTION "QUALITY=85" END',
    `WEB METADATA "wms_title" "map" "wms_onlineresource" "http://localhost/" "wms_srs" ${quoteMapText(srs)} "wms_enable_request" "GetMap"${labelMargin === 0 ? '' : ` "labelcache_map_edge_buffer" "-${labelMargin}"`} END END`,
    markSymbols,
    ...(blocks.length === 0 ? [`LAYER NAME ${quoteMapText(nothing)} TYPE POINT STATUS OFF END`] : []),
    ...blocks.map(({ source, part }, index) => layerBlock(names[index] ?? '', source, part)),
    'END',
    '',
  ].join('\n')
}

function layerBlock(name: string, source: PartSource, part: DrawnPart): string {
  return [
    'LAYER',
    `NAME ${quoteMapText(name)}`,
    `TYPE ${part.type}`,
    'STATUS OFF',
    `SIZEUNITS ${part.unit === 'metre' ? 'METERS' : 'PIXELS'}`,
    'PROCESSING "RENDERMODE=ALL_MATCHING_CLASSES"',
    ...source.lines(part),
    source.projection,
    ...part.classes,
    'END',
  ].join('\n')
}

/** Returns the file name for a content. */
export function digestMapFile(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
