import { Failure } from '../../../core/errors/errors.ts'
import { ownValue } from '../../../core/values/record-keys.ts'
import {
  type DrawingFormat,
  type DrawingRequest,
  drawingFormats,
  type OverlayFormat,
  type StyledLayer,
} from '../../../render/index.ts'
import { requireStyleSize } from '../../../styles/index.ts'
import type { SldLayer } from '../../../styles/sld/read-sld.ts'
import { styleFor } from '../../tiles/drawn-style.ts'
import type { KeyValues } from '../key-values.ts'
import { type RequestedLayer, requireLayersAndGroups } from '../named-layers.ts'
import type { OwsCatalog, OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { RequestDocuments } from '../request-documents.ts'
import { backgroundOf, drawLayers, withFilteredRows } from './draw-layers.ts'
import { readLayerFilters, withTimes } from './layer-filters.ts'
import { readMapBox, readMapCrs } from './map-crs.ts'
import { readTimeDimension, writeDefaultTimes } from './time-dimension.ts'
import type { WmsRequest } from './wms-request.ts'

/** Cells along a side of a picture at most. */
export const maxCells = 4096
/** Name of the only style of a group, in capabilities and requests. */
export const groupStyle = 'default'
/** Layers of a map at most. */
export const maxMapLayers = 50

/** Sends a map of layers (OGC 06-042, section 7.3). */
export async function getMap(
  deps: Pick<
    OwsDeps,
    'catalog' | 'drawings' | 'takesSentStyles' | 'filtered' | 'documents' | 'limiter' | 'rasters' | 'pictures'
  >,
  wmsRequest: WmsRequest,
): Promise<unknown> {
  const { values, version, reply } = wmsRequest
  const { srs, ...axes } = readMapCrs(values, version)
  const box = readMapBox(values, axes)
  const [width, height] = [values.requireCount('width', maxCells), values.requireCount('height', maxCells)]
  const { format, laid, mediaType } = readMapFormat(values.require('format'))
  const { layers, requested } = await readLayers(
    deps.catalog,
    deps.takesSentStyles,
    deps.documents,
    wmsRequest,
  )
  const records = layers.map(({ layer }) => layer)
  const details = records.map((one) => one.details)
  const times = readTimeDimension(values, details)
  const filters = withTimes(await readLayerFilters(values, requested, deps.documents), records, times)
  const drawing: DrawingRequest = {
    layers,
    srs,
    box,
    width,
    height,
    format,
    isTransparent: /^true$/i.test(values.find('transparent') ?? '') && format !== 'jpeg',
    background: readColor(values.find('bgcolor')),
    density: readDensity(values),
  }
  const bytes = await deps.limiter.run(reply, (signal) =>
    withFilteredRows(deps.filtered, drawing, filters, signal, async (shown) => {
      const picture = await drawLayers(deps, { ...drawing, layers: shown }, times, signal)
      if (laid === undefined) return picture
      const background = backgroundOf(drawing)
      return deps.pictures.lay({ pictures: [picture], width, height, background, format: laid }, signal)
    }),
  )
  if (bytes === undefined) return reply.hijack()
  writeDefaultTimes(reply, values, details)
  reply.header('cache-control', 'private, max-age=0, must-revalidate')
  return reply.header('content-type', mediaType).send(Buffer.from(bytes))
}

/** Format in which an image is drawn, and its conversion. */
export interface MapOutputFormat {
  format: DrawingFormat
  laid?: OverlayFormat
  mediaType: string
}

const drawn = (format: DrawingFormat): MapOutputFormat => ({ format, mediaType: drawingFormats[format] })
const laidAs = (laid: OverlayFormat, mediaType: string): MapOutputFormat => ({
  format: 'png',
  laid,
  mediaType,
})

const formats: Record<string, MapOutputFormat> = {
  'image/png': drawn('png'),
  'image/png; mode=24bit': drawn('png'),
  'image/png; mode=8bit': drawn('png8'),
  'image/png8': drawn('png8'),
  'image/jpeg': drawn('jpeg'),
  'image/jpg': drawn('jpeg'),
  'image/webp': laidAs('webp', 'image/webp'),
  'image/gif': laidAs('gif', 'image/gif'),
  'image/tiff': laidAs('tiff', 'image/tiff'),
}
/** Media types of maps, as capabilities list them. */
export const mapFormats = [
  'image/png',
  'image/png; mode=8bit',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/tiff',
]

/** Throws `OwsFailure` (`InvalidFormat`). */
export function readMapFormat(text: string): MapOutputFormat {
  const format = ownValue(formats, text.toLowerCase().replace(/;\s*/, '; '))
  if (format !== undefined) return format
  throw new OwsFailure('InvalidFormat', `FORMAT "${text}" is not one of ${mapFormats.join(', ')}`, 'format')
}

/** Resolution of OGC's pixels of 0.28 mm. */
const usualDpi = 25.4 / 0.28
/** Limits of MapServer's RESOLUTION. */
const dpiLimits = { least: 10, most: 1000 }

/**
 * Returns the requested resolution, from the parameters of QGIS, GeoServer and MapServer clients; undefined
 * if there is none.
 */
function readDensity(values: KeyValues): number | undefined {
  const options = /(?:^|;)\s*dpi:([^;]*)/i.exec(values.find('format_options') ?? '')?.[1]
  const text = values.find('dpi') ?? values.find('map_resolution') ?? options
  if (text === undefined) return undefined
  const { least, most } = dpiLimits
  const dpi = /^\d{1,6}(?:\.\d{1,9})?$/.test(text.trim()) ? Number(text) : Number.NaN
  if (dpi >= least && dpi <= most) return dpi / usualDpi
  throw new OwsFailure(
    'InvalidParameterValue',
    `DPI "${text.slice(0, 40)}" is not a number from ${least} to ${most}`,
    'dpi',
  )
}

export function readColor(text: string | undefined): string {
  if (text === undefined) return '#ffffff'
  const digits = /^(?:0x|#)([\da-f]{6})$/i.exec(text)?.[1]
  if (digits !== undefined) return `#${digits.toLowerCase()}`
  throw new OwsFailure(
    'InvalidParameterValue',
    `BGCOLOR "${text}" is not a colour such as 0xFFFFFF`,
    'bgcolor',
  )
}

/** Layers of a map, and the names that they have in the request, of the same order. */
interface MapLayers {
  layers: StyledLayer[]
  requested: RequestedLayer[]
}

/** Reads the layers with their styles, which are as many or none (OGC 06-042, section 7.3.3.4). */
async function readLayers(
  catalog: OwsCatalog,
  takesSentStyles: boolean,
  documents: RequestDocuments,
  wmsRequest: WmsRequest,
): Promise<MapLayers> {
  const { values, request, workspace } = wmsRequest
  const sent = takesSentStyles ? await readSentStyles(values, documents) : undefined
  const isNamed = sent === undefined || values.find('layers') !== undefined
  const names = isNamed ? values.require('layers').split(',') : [...sent.keys()]
  const styles = values.list('styles')
  requireFewLayers(names)
  if (styles.length > 0 && styles.length !== names.length)
    throw new OwsFailure(
      'InvalidParameterValue',
      `STYLES names ${styles.length} styles for ${names.length} layers`,
      'styles',
    )
  const requested = await requireLayersAndGroups(catalog, request, names, { workspace, parameter: 'layers' })
  requireFewLayers(requested)
  const layers = await Promise.all(
    requested.map(async ({ layer, position, group, style }) => {
      const name = names[position] ?? ''
      if (group !== undefined) requireGroupStyle(name, styles[position], sent?.get(name))
      const own = group === undefined ? sent?.get(name) : undefined
      request.reportIgnored((own?.lost ?? []).map((text) => `SLD_BODY: ${text}`))
      const styleName = group === undefined ? (own?.styleName ?? styles[position]) : style
      return { layer, style: own?.style ?? (await styleFor({ catalog }, request, layer, styleName)).style }
    }),
  )
  return { layers, requested }
}

function requireFewLayers({ length }: readonly unknown[]): void {
  if (length <= maxMapLayers) return
  const text = `A map has at most ${maxMapLayers} layers, found ${length}`
  throw new OwsFailure('InvalidParameterValue', text, 'layers')
}

/** Throws `OwsFailure` for another style of a group than its only one. */
function requireGroupStyle(name: string, style: string | undefined, sent: SldLayer | undefined): void {
  if (sent !== undefined)
    throw invalidStyle(`SLD_BODY has a style of group "${name}": write a NamedLayer for each of its layers`)
  if (style === undefined || style === '' || style === groupStyle) return
  const text = `Group "${name}" has only the style "${groupStyle}": its layers have theirs`
  throw new OwsFailure('StyleNotDefined', text, 'styles')
}

/**
 * Reads the styles in `SLD_BODY` (OGC 05-078r4, section 11), by the names of their layers; undefined if it is
 * missing. `SLD`, the URL of a document, is not supported. Throws `OwsFailure` for an invalid document.
 */
async function readSentStyles(
  values: KeyValues,
  documents: RequestDocuments,
): Promise<Map<string, SldLayer> | undefined> {
  const document = values.find('sld_body')
  if (document === undefined) return undefined
  const layers = await readSld(document, documents)
  if (layers.length === 0) throw invalidStyle('SLD_BODY has no NamedLayer')
  const narrowed = layers.find(({ isNarrowed }) => isNarrowed)
  if (narrowed !== undefined)
    throw new OwsFailure(
      'OperationNotSupported',
      `SLD_BODY has a constraint for layer "${narrowed.name}", which is not supported: use filters in rules, or CQL_FILTER`,
      'sld_body',
    )
  return new Map(layers.map((layer) => [layer.name, layer]))
}

async function readSld(document: string, documents: RequestDocuments): Promise<SldLayer[]> {
  try {
    const layers = await documents.readSld(document)
    requireStyleSize(layers.flatMap(({ style }) => style?.rules ?? []))
    return layers
  } catch (error) {
    if (error instanceof Failure) throw invalidStyle(`SLD_BODY cannot be read: ${error.message}`)
    throw error
  }
}

function invalidStyle(text: string): OwsFailure {
  return new OwsFailure('InvalidParameterValue', text, 'sld_body')
}
