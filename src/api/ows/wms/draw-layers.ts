import { findCrs } from '../../../geo/crs-database.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import {
  type Background,
  type CachedTile,
  type DrawingRequest,
  type FilteredTable,
  type FilteredTableQuery,
  type FilteredTables,
  frameOfBox,
  type RasterMapRequest,
  type Rasters,
  type StyledLayer,
  type TimeSelection,
} from '../../../render/index.ts'
import type { RequestBox } from '../../../stores/index.ts'
import { rasterSymbols } from '../../tiles/drawn-style.ts'
import type { OwsCatalog, OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'

/** Maximum number of cells of all images that form one. */
const maxCells = 64 * 1024 ** 2
/** Maximum number of attempts if a coverage is replaced meanwhile. */
const maxTries = 5
const transparent: Background = [0, 0, 0, 0]
/** Margin of filtered rows as a share of the map's sides: marks and labels extend into the map from outside. */
const filterMargin = 0.25

type Times = readonly TimeSelection[] | undefined

type DrawDeps = Pick<OwsDeps, 'drawings' | 'pictures' | 'rasters'> & { catalog: Pick<OwsCatalog, 'layers'> }

/**
 * Draws one image of layers, bottom first: features by MapServer, coverages by Terrane. `times` are those of
 * mosaics; undefined: the newest.
 */
export async function drawLayers(
  deps: DrawDeps,
  drawing: DrawingRequest,
  times: Times,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { width, height, format } = drawing
  const groups = groupsOf(drawing.layers)
  if (groups.some(({ coverage }) => coverage === undefined)) requireTwoCells(drawing)
  const [first, ...others] = groups
  if (first?.coverage === undefined && others.length === 0) return deps.drawings.draw(drawing, signal)
  if (groups.length * width * height > maxCells)
    throw new OwsFailure(
      'InvalidParameterValue',
      `A map drawn in ${groups.length} passes has at most ${Math.floor(maxCells / groups.length)} cells, found ${width * height}`,
      'width',
    )
  const background = backgroundOf(drawing)
  const drawCoverage = (
    coverage: StyledLayer,
    options: Omit<RasterMapRequest, 'frame' | 'symbols'>,
  ): Promise<Uint8Array | undefined> =>
    drawCurrentCoverage(deps.catalog.layers, coverage, signal, (current) =>
      drawOnce(deps.rasters, current, drawing, options, signal),
    )
  if (first?.coverage !== undefined && others.length === 0 && format !== 'png8') {
    const drawn = await drawCoverage(first.coverage, { times, format, background })
    if (drawn !== undefined) return drawn
  }
  const pictures: Uint8Array[] = []
  for (const { coverage, features } of groups) {
    const picture =
      coverage === undefined
        ? await deps.drawings.draw(
            { ...drawing, layers: features, format: 'png', isTransparent: true },
            signal,
          )
        : await drawCoverage(coverage, { times, format: 'png', background: transparent })
    if (picture !== undefined) pictures.push(picture)
  }
  return deps.pictures.lay({ pictures, width, height, background, format }, signal)
}

/** MapServer measures a map between the centres of its first and its last cell. */
function requireTwoCells({ width, height }: Pick<DrawingRequest, 'width' | 'height'>): void {
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

/** Draws a coverage again if it changes meanwhile. Returns undefined if the box is outside the world. */
async function drawCurrentCoverage(
  layers: OwsCatalog['layers'],
  { layer, style }: StyledLayer,
  signal: AbortSignal,
  draw: (styled: StyledLayer) => Promise<CachedTile | undefined>,
): Promise<Uint8Array | undefined> {
  let current = layer
  for (let tries = 1; ; tries += 1) {
    const before = await layers.versionOf(current)
    const isLast = tries === maxTries
    try {
      const made = await draw({ layer: current, style })
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

async function drawOnce(
  rasters: Rasters,
  { layer, style }: StyledLayer,
  { srs, box, width, height }: DrawingRequest,
  options: Omit<RasterMapRequest, 'frame' | 'symbols'>,
  signal: AbortSignal,
): Promise<CachedTile | undefined> {
  const { maxzoom } = await rasters.zooms(layer, signal)
  const frame = await frameOfBox({ srs, box, width, height }, maxzoom)
  if (frame === undefined) return undefined
  return rasters.map(layer, { frame, symbols: rasterSymbols(style, frame.zoom), ...options }, signal)
}

/** Calls `draw` with the layers of a map, restricted to the rows that match their filters, one per layer. */
export async function withFilteredRows<Drawn>(
  filtered: FilteredTables,
  { layers, srs, box }: Pick<DrawingRequest, 'layers' | 'srs' | 'box'>,
  filters: readonly (FilteredTableQuery | undefined)[],
  signal: AbortSignal,
  draw: (layers: StyledLayer[]) => Promise<Drawn>,
): Promise<Drawn> {
  const tables: FilteredTable[] = []
  const near = boxAround(box, srs)
  try {
    const shown: StyledLayer[] = []
    for (const [at, styled] of layers.entries()) {
      const filter = filters[at]
      if (filter === undefined) shown.push(styled)
      else {
        const rows = await filtered.write(styled.layer, { ...filter, box: near }, signal)
        tables.push(rows)
        shown.push({ ...styled, rows })
      }
    }
    return await draw(shown)
  } finally {
    await Promise.all(tables.map((table) => table.close()))
  }
}

/** Returns the box with a margin; undefined if that extends beyond the world. */
function boxAround({ minX, minY, maxX, maxY }: Envelope, srs: string): RequestBox | undefined {
  const [across, down] = [(maxX - minX) * filterMargin, (maxY - minY) * filterMargin]
  const box = { minX: minX - across, minY: minY - down, maxX: maxX + across, maxY: maxY + down }
  const half = srs === 'EPSG:3857' ? 20_037_508 : 180
  const isAround = Math.abs(box.minX) > half || Math.abs(box.maxX) > half
  if (srs === 'EPSG:3857' && isAround) return undefined
  if (isDegrees(srs) && (isAround || Math.abs(box.minY) > 90 || Math.abs(box.maxY) > 90)) return undefined
  return { boxes: [box], srs }
}

function isDegrees(srs: string): boolean {
  return findCrs(srs)?.kind === 'geographic'
}
