import type { DrawingRequest, StyledLayer } from '../../../maps/drawing/map-drawings.ts'
import type { CachedTile } from '../../../maps/maps.ts'
import { frameOfBox } from '../../../maps/rasters/box-frame.ts'
import type { Background } from '../../../maps/rasters/map-frame.ts'
import type { TimeSelection } from '../../../maps/rasters/time-selection.ts'
import { rasterSymbols } from '../../tiles/raster-symbols.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'

/** A map of features and coverages. */
export interface LayersMapRequest extends DrawingRequest {
  /** Times of mosaics; undefined: the newest. */
  times: readonly TimeSelection[] | undefined
}

/** Maximum number of cells of all images that form one. */
const mostCells = 64 * 1024 ** 2
/** Maximum number of attempts if a coverage is replaced meanwhile. */
const mostTries = 5
const seeThrough: Background = [0, 0, 0, 0]

/** Draws one image of layers, bottom first: features by MapServer, coverages by Terrane. */
export async function drawLayers(
  deps: OwsDeps,
  wish: LayersMapRequest,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { width, height, format } = wish
  const groups = groupsOf(wish.layers)
  if (groups.some(({ coverage }) => coverage === undefined)) requireTwoCells(wish)
  const [first, ...others] = groups
  if (first?.coverage === undefined && others.length === 0) return deps.drawings.draw(wish, signal)
  if (groups.length * width * height > mostCells)
    throw new OwsFailure(
      'InvalidParameterValue',
      `A map of coverages and features in ${groups.length} turns has at most ${Math.floor(mostCells / groups.length)} cells, found ${width * height}`,
      'width',
    )
  const background = backgroundOf(wish)
  if (first?.coverage !== undefined && others.length === 0 && format !== 'png8') {
    const drawn = await drawCoverage(deps, first.coverage, { ...wish, format }, background, signal)
    if (drawn !== undefined) return drawn
  }
  const pictures: Uint8Array[] = []
  for (const { coverage, features } of groups) {
    const picture =
      coverage === undefined
        ? await deps.drawings.draw({ ...wish, layers: features, format: 'png', isTransparent: true }, signal)
        : await drawCoverage(deps, coverage, { ...wish, format: 'png' }, seeThrough, signal)
    if (picture !== undefined) pictures.push(picture)
  }
  return deps.pictures.lay({ pictures, width, height, background, format }, signal)
}

/** MapServer measures a map between the centres of its first and its last cell. */
function requireTwoCells({ width, height }: Pick<LayersMapRequest, 'width' | 'height'>): void {
  if (width > 1 && height > 1) return
  const side = width > 1 ? 'height' : 'width'
  throw new OwsFailure(
    'InvalidParameterValue',
    `${side.toUpperCase()} is 1: a map of features has at least 2 cells along each side`,
    side,
  )
}

interface Group {
  /** One coverage, or features between two coverages. */
  coverage?: StyledLayer
  features: StyledLayer[]
}

/** Neighbours of features are drawn together, so that their labels keep out of each other's way. */
function groupsOf(layers: readonly StyledLayer[]): Group[] {
  const groups: Group[] = []
  for (const styled of layers) {
    const last = groups.at(-1)
    if (styled.layer.details.kind === 'raster') groups.push({ coverage: styled, features: [] })
    else if (last !== undefined && last.coverage === undefined) last.features.push(styled)
    else groups.push({ features: [styled] })
  }
  return groups
}

/** Returns the background of a map. */
export function backgroundOf({
  background,
  isTransparent,
}: Pick<DrawingRequest, 'background' | 'isTransparent'>): Background {
  const part = (at: number): number => Number.parseInt(background.slice(at, at + 2), 16)
  return [part(1), part(3), part(5), isTransparent ? 0 : 255]
}

/** Undefined where the box has no place on a map of the world. */
async function drawCoverage(
  deps: OwsDeps,
  { layer, style }: StyledLayer,
  wish: CoverageMapRequest,
  background: Background,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const { layers } = deps.catalog
  let current = layer
  for (let tries = 1; ; tries += 1) {
    const before = await layers.versionOf(current)
    const isLast = tries === mostTries
    try {
      const made = await drawOnce(deps, { layer: current, style }, wish, background, signal)
      if (made === undefined || made.isCurrent || isLast) return made?.bytes
      // If changes by other programs cannot be detected, at least the server's own writes are known.
      if (!before.isCurrent && (await layers.isSettled(current))) return made.bytes
    } catch (error) {
      // Its file may have been replaced under the reader.
      const isSame = before.isCurrent ? layers.isStill(current, before) : layers.isSettled(current)
      if (signal.aborted || isLast || (await isSame)) throw error
    }
    current = (await layers.find(layer.workspace, layer.name)) ?? layer
  }
}

type CoverageMapRequest = LayersMapRequest & { format: 'png' | 'jpeg' }

async function drawOnce(
  { rasters }: OwsDeps,
  { layer, style }: Pick<StyledLayer, 'layer' | 'style'>,
  { srs, box, width, height, times, format }: CoverageMapRequest,
  background: Background,
  signal: AbortSignal,
): Promise<CachedTile | undefined> {
  const { maxzoom } = await rasters.zooms(layer, signal)
  const frame = await frameOfBox({ srs, box, width, height }, maxzoom)
  if (frame === undefined) return undefined
  const symbols = rasterSymbols(style, frame.zoom)
  return rasters.map(layer, { frame, symbols, times, format, background }, signal)
}
