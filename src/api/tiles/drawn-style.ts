import type { Catalog, LayerRecord, StyleRecord } from '../../catalog/index.ts'
import { BoundedCache } from '../../core/caches/bounded-cache.ts'
import { Failure, notFound } from '../../core/errors/errors.ts'
import { type RasterSymbolizer, readStyle, type Style, scaleOfZoom } from '../../styles/index.ts'
import { defaultStyleName, defaultStyles, isInScale } from '../../styles/worker.ts'
import type { FastifyRequest } from '../app-types.ts'

/** Default for styles without raster rules. */
const usual: RasterSymbolizer = { kind: 'raster', opacity: 1 }

/** Returns the raster symbolizers of a style at a zoom. */
export function rasterSymbols(style: Style, zoom: number): RasterSymbolizer[] {
  const ofRasters = style.rules.filter(({ symbols }) => symbols.some(({ kind }) => kind === 'raster'))
  if (ofRasters.length === 0) return [usual]
  // Tiles have 256 cells here, and 512 where a style counts zooms.
  const scale = scaleOfZoom(zoom - 1)
  return ofRasters
    .filter((rule) => isInScale(rule, scale))
    .flatMap(({ symbols }) => symbols.filter((symbol) => symbol.kind === 'raster'))
}

/** A style as pictures are drawn by it. */
export interface DrawnStyle {
  name: string
  style: Style
  /** Moves with any change of the style. */
  key: string
  /** Parts that cannot be drawn. */
  messages: string[]
}

function plainStyle({ details: { kind, schema } }: LayerRecord): Style {
  const name = defaultStyleName(schema.geometry?.type, kind)
  const found = defaultStyles.find((one) => one.name === name)
  return (found && readStyle(found)) ?? { rules: [], lost: [] }
}

const keptStyles = 100
/** Parsed styles by catalogue: parsing a large one takes longer than drawing a tile. */
const known = new WeakMap<object, BoundedCache<string, { style: Style | undefined }>>()

/** Undefined for an invalid document: it may have been stored before documents were validated. */
function tryRead(record: Pick<StyleRecord, 'name' | 'format' | 'document'>): Style | undefined {
  try {
    return readStyle(record)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

function readOnce(styles: object, record: StyleRecord): Style | undefined {
  const cache = known.get(styles) ?? new BoundedCache(keptStyles)
  known.set(styles, cache)
  const { id, updatedAt, format, document } = record
  const key = `${id} ${updatedAt} ${format} ${document.length}`
  return cache.get(key, () => ({ style: tryRead(record) })).style
}

/**
 * Returns a style of a layer for the caller: `name`, otherwise the layer's own. Throws `Failure`
 * (`not-found`) for an unknown name, and for a style of another workspace that draws no layer that the caller may read.
 */
export async function styleFor(
  parts: { catalog: Pick<Catalog, 'styles'> },
  request: FastifyRequest,
  layer: LayerRecord,
  name: string | undefined,
): Promise<DrawnStyle> {
  const found = await drawnStyle(parts, layer, name)
  const { style, styles = [] } = layer.details
  if (found.name === style || styles.includes(found.name) || request.caller.role !== 'anonymous') return found
  const record = await parts.catalog.styles.resolve(layer.workspace, found.name)
  if (record !== undefined && (await parts.catalog.styles.drawsReadableLayer(record, await request.rights())))
    return found
  throw notFound('unknown-style', `Style "${found.name}" does not exist`)
}

/**
 * Returns the named style of a layer, otherwise its own; throws `Failure` (`not-found`) for an unknown name.
 */
async function drawnStyle(
  { catalog }: { catalog: Pick<Catalog, 'styles'> },
  layer: LayerRecord,
  name: string | undefined,
): Promise<DrawnStyle> {
  const requested = name === undefined || name === '' ? layer.details.style : name
  const record = await catalog.styles.resolve(layer.workspace, requested)
  if (record === undefined && requested !== layer.details.style)
    throw notFound('unknown-style', `Style "${requested}" does not exist`)
  const read = record === undefined ? undefined : readOnce(catalog.styles, record)
  const key = record === undefined ? 'plain' : `${record.id}.${Date.parse(record.updatedAt).toString(36)}`
  return drawnBy(layer, requested, read, key)
}

function drawnBy(layer: LayerRecord, name: string, read: Style | undefined, key: string): DrawnStyle {
  const style = read ?? plainStyle(layer)
  const messages = style.lost.map((what) => `Not drawn: ${what}`)
  if (read === undefined) messages.unshift(`Style "${name}" cannot be drawn: the default style is used`)
  return { name, style, key, messages }
}

/** The style by which a layer was drawn at a version. */
export async function styleOfVersion(
  { catalog: { versions } }: { catalog: Pick<Catalog, 'versions'> },
  layer: LayerRecord,
  version: number,
): Promise<DrawnStyle> {
  const { styleDigest = 'plain', ...reported } = await versions.getOf(layer.id, version)
  const kept = await versions.styleOf({ styleDigest })
  const read = kept === undefined ? undefined : tryRead({ name: reported.details.style, ...kept })
  return drawnBy(layer, reported.details.style, read, styleDigest)
}
