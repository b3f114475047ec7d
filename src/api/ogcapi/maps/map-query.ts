import { Type } from 'typebox'
import type { LayerRecord } from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { type Background, boxInCrs, type MapFrame, mapFrame } from '../../../render/index.ts'
import { parseColor } from '../../../styles/index.ts'
import type { RequestedCrs } from '../../crs-uris.ts'
import { crs84, crs84Uri, parseCrsUri, toCrsUri } from '../../crs-uris.ts'
import { readBox } from '../items-query.ts'

const longestSide = 4096
const maxPixels = 2048 * 2048
const usualWidth = 800

const text = (description: string) => Type.Optional(Type.String({ description, maxLength: 1000 }))

/** Parameters are validated as text, so that errors use the terms of the standard. */
export const MapQuery = Type.Object({
  bbox: text('minx,miny,maxx,maxy; across the antimeridian minx is the larger; default the whole layer'),
  'bbox-crs': text('URI of the CRS of bbox; default CRS84'),
  crs: text('URI of the CRS of the picture: CRS84, EPSG:4326, EPSG:3857, or that of the layer, the default'),
  width: text(`Pixels: at most ${longestSide}, and ${maxPixels} in all; default ${usualWidth}`),
  height: text('Pixels; default by the aspect ratio of the box'),
  transparent: text('`true` or `false`; default `true` where there is no bgcolor'),
  bgcolor: text('Hexadecimal, such as `0xFFFFFF`, or a name'),
  datetime: text(
    'Mosaics only: a date, a time, or an interval with "/", open ends as ".."; default the newest time',
  ),
})

/** Query parameters of a map, as text. */
export type MapParameters = Partial<Record<keyof (typeof MapQuery)['properties'], string>>

/** A requested image: its frame, and its CRS as named by the client. */
export interface MapImageRequest {
  frame: MapFrame
  crs: RequestedCrs
}

/** The frame of a request; throws `Failure` (`invalid`). */
export async function readFrame(
  layer: LayerRecord,
  parameters: MapParameters,
  maxZoom: number,
): Promise<MapImageRequest> {
  const crs = readCrs(layer, parameters.crs)
  const box = await boxIn(crs, layer, parameters)
  const size = readSize(box, parameters)
  const mercator = await toMercator(crs.srs, box)
  return { crs, frame: mapFrame({ srs: crs.srs, box, ...size }, mercator, maxZoom) }
}

function readCrs({ details: { srs } }: LayerRecord, requested: string | undefined): RequestedCrs {
  const own = srs === undefined ? [] : [toCrsUri(srs)]
  const offered = [...new Set([...own, crs84Uri, toCrsUri('EPSG:4326'), toCrsUri('EPSG:3857')])]
  const crs = parseCrsUri('crs', requested ?? offered[0] ?? crs84Uri)
  if (offered.includes(crs.uri)) return crs
  throw invalid(
    'unsupported-crs',
    `crs "${requested}" is not available: expected one of ${offered.join(', ')}`,
  )
}

/** Returns the requested box, in the CRS of the image. */
async function boxIn(crs: RequestedCrs, layer: LayerRecord, parameters: MapParameters): Promise<Envelope> {
  const { bbox, 'bbox-crs': bboxCrs } = parameters
  const requestBox = bbox === undefined ? undefined : readBox({ bbox, 'bbox-crs': bboxCrs })
  const { envelope, srs, crs: declared } = layer.details
  const box = requestBox === undefined ? envelope : unwrapped(requestBox.boxes)
  const from = requestBox === undefined ? (srs ?? declared) : requestBox.srs
  const image = box === undefined || from === undefined ? undefined : await boxInCrs(box, from, crs.srs)
  const reported = bbox ?? 'of the layer'
  if (image === undefined)
    throw invalid('invalid-bbox', `bbox "${reported}" cannot be transformed to ${crs.uri}`)
  if (isWide(box) && isWide(image)) return image
  throw invalid('invalid-bbox', `bbox "${reported}" has no width or no height`)
}

function isWide(box: Envelope | undefined): boolean {
  return box !== undefined && box.maxX > box.minX && box.maxY > box.minY
}

/** Joins two boxes on both sides of the antimeridian to one that continues beyond it. */
function unwrapped([first, second]: readonly Envelope[]): Envelope | undefined {
  return first && second ? { ...first, maxX: second.maxX + 360 } : first
}

async function toMercator(srs: string, box: Envelope): Promise<Envelope> {
  const image = await boxInCrs(box, srs, 'EPSG:3857')
  if (image !== undefined) return image
  throw invalid('invalid-bbox', 'bbox is outside the area of web mercator, in which maps are drawn')
}

function readSize(box: Envelope, { width, height }: MapParameters): { width: number; height: number } {
  const shape = (box.maxX - box.minX) / (box.maxY - box.minY)
  const fit = (side: number): number => Math.min(longestSide, Math.max(1, Math.round(side)))
  const [wide, high] = [readSide('width', width), readSide('height', height)]
  const whole = wide ?? (high === undefined ? usualWidth : fit(high * shape))
  const size = { width: whole, height: high ?? fit(whole / shape) }
  if (size.width * size.height <= maxPixels) return size
  throw invalid(
    'invalid-parameter',
    `width ${size.width} and height ${size.height} are more than ${maxPixels} pixels`,
  )
}

function readSide(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d{1,6}$/.test(text) && value >= 1 && value <= longestSide) return value
  throw invalid('invalid-parameter', `${name} "${text}" is not a whole number from 1 to ${longestSide}`)
}

/** Returns the background; `isOpaque`: the format has no transparency. */
export function readBackground({ bgcolor, transparent }: MapParameters, isOpaque: boolean): Background {
  if (transparent !== undefined && !/^(true|false)$/i.test(transparent))
    throw invalid('invalid-parameter', `transparent "${transparent}" is neither true nor false`)
  const color = bgcolor === undefined ? '#ffffff' : readColor(bgcolor)
  const part = (at: number): number => Number.parseInt(color.slice(at, at + 2), 16)
  const isThrough = (transparent?.toLowerCase() ?? String(bgcolor === undefined)) === 'true'
  return [part(1), part(3), part(5), isThrough && !isOpaque ? 0 : 255]
}

function readColor(text: string): string {
  const [, digits] = /^(?:0x|#)?([0-9a-f]{6})$/i.exec(text) ?? []
  const color = parseColor(digits === undefined ? text : `#${digits}`)
  if (color !== undefined) return color.color
  throw invalid(
    'invalid-parameter',
    `bgcolor "${text}" is neither hexadecimal, such as 0xFFFFFF, nor a name of a colour`,
  )
}

/** Formats the box of an image for its header, in the axis order of its CRS. */
export function contentBbox({ frame: { box }, crs }: MapImageRequest): string {
  const { minX, minY, maxX, maxY } = box
  return (crs.isYx ? [minY, minX, maxY, maxX] : [minX, minY, maxX, maxY]).join()
}

/** True if the header with the CRS may be omitted. */
export function isCrs84({ crs }: MapImageRequest): boolean {
  return crs.uri === crs84.uri
}
