import type { FileHandle } from 'node:fs/promises'
import { openGuarded } from '../../core/files/guarded-files.ts'
import type { CallContext } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { RasterSymbolizer } from '../../styles/index.ts'
import type { MapFormat, PictureFormat } from '../pictures/encode-picture.ts'
import { decodePicture, encodePicture } from '../pictures/encode-picture.ts'
import { drawMap } from './draw-map.ts'
import type { Background, MapFrame } from './map-frame.ts'
import type { MercatorPart } from './mercator-extent.ts'
import { mercatorBoxes, mercatorParts } from './mercator-extent.ts'
import type { RasterFacts } from './raster-colors.ts'
import { colorizer, paintCells } from './raster-colors.ts'
import type { DrawnRasterSource, RasterFile } from './raster-source.ts'
import type { CellReading, TileSquare } from './read-tile-cells.ts'
import { readTileCells } from './read-tile-cells.ts'
import type { BandSummary, Spread } from './spread-of-values.ts'
import { rasterSummary, spreadOf } from './spread-of-values.ts'
import { readTiffLayout } from './tiff/tiff-images.ts'
import type { TiffPyramid } from './tiff/tiff-pyramid.ts'
import { findPyramid } from './tiff/tiff-pyramid.ts'

/** Properties of a file aligned to the cells of Web Mercator. */
export interface AlignedFacts {
  /** Zoom of its finest cells. */
  zoom: number
  /** Position of its finest cells, among those of the whole zoom. */
  column: number
  row: number
  width: number
  height: number
  /** Red, green, blue and alpha of values. */
  palette?: [number, number, number, number][]
}

/** Request for one image of rasters. Plain data. */
export interface RasterTileDrawing {
  /** TIFF files aligned to the cells of Web Mercator, bottom first. */
  files: RasterFile[]
  facts: RasterFacts
  symbols: RasterSymbolizer[]
  /** True if coarser cells are means of finer ones, not samples. */
  isMixed: boolean
  square: TileSquare
  format: PictureFormat
}

/** Number of cells sampled to determine the spread. */
const maxSamples = 200_000
const keptLooks = 200
const pyramids = new Map<string, TiffPyramid | undefined>()
const maxBlockCells = 4096 * 4096

function readingOf(signal: AbortSignal): CellReading {
  return { signal, decodePicture: (bytes, samples) => decodePicture(bytes, samples, maxBlockCells) }
}

/** Opens the file for `work`; caches its parsed directories. */
async function withPyramid<T>(
  { path, state }: RasterFile,
  work: (file: FileHandle, pyramid: TiffPyramid | undefined) => Promise<T>,
): Promise<T> {
  const file = await openGuarded(path)
  try {
    const { size, mtimeMs } = await file.stat()
    const key = JSON.stringify([path, state, size, mtimeMs])
    if (!pyramids.has(key)) pyramids.set(key, findPyramid(await readTiffLayout(file)))
    const [oldest = ''] = pyramids.keys()
    if (pyramids.size > keptLooks) pyramids.delete(oldest)
    return await work(file, pyramids.get(key))
  } finally {
    await file.close()
  }
}

function paletteOf({ levels }: TiffPyramid): AlignedFacts['palette'] {
  const { colorMap, photometric } = levels[0]?.image ?? {}
  if (colorMap === undefined || photometric !== 3) return undefined
  const count = colorMap.length / 3
  const part = (index: number): number => (colorMap[index] ?? 0) >> 8
  return Array.from({ length: count }, (_, at) => [part(at), part(at + count), part(at + 2 * count), 255])
}

/**
 * Returns undefined for a file that is not aligned to the cells of Web Mercator, or that only GDAL can read.
 */
async function inspect(file: RasterFile): Promise<AlignedFacts | undefined> {
  return withPyramid(file, async (_, pyramid) => {
    const [finest] = pyramid?.levels ?? []
    if (pyramid === undefined || finest === undefined) return undefined
    const { zoom, column, row, image } = finest
    const palette = paletteOf(pyramid)
    const size = { width: image.width, height: image.height }
    return { zoom, column, row, ...size, palette }
  })
}

/** Returns the range of the values of each band, sampled from a sufficiently small overview. */
async function sampled(files: RasterFile[], signal: AbortSignal): Promise<number[][]> {
  const reading = readingOf(signal)
  const samples: number[][] = []
  for (const file of files) {
    await withPyramid(file, async (handle, pyramid) => {
      const level = pyramid?.levels.at(-1)
      if (pyramid === undefined || level === undefined) return
      const { zoom, column, row, image } = level
      const size = Math.max(image.width, image.height)
      const cells = await readTileCells(
        handle,
        pyramid,
        { zoom, column, row, size },
        { ...reading, isMean: false },
      )
      if (cells === undefined) return
      const step = Math.max(1, Math.floor(cells.alpha.length / maxSamples))
      for (let at = 0; at < cells.alpha.length; at += step) {
        if (cells.alpha[at] === 0) continue
        for (let band = 0; band < cells.bands; band += 1) {
          samples[band] ??= []
          samples[band]?.push(cells.values[at * cells.bands + band] ?? 0)
        }
      }
    })
  }
  return samples
}

/** Request for a map image of rasters in any CRS. Plain data. */
export interface RasterMapDrawing extends Omit<RasterTileDrawing, 'square' | 'format'> {
  frame: MapFrame
  background: Background
  format: MapFormat
}

/** Draws a tile; undefined if nothing is drawn. */
async function draw(drawing: RasterTileDrawing, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const { square, format } = drawing
  const picture = await paint(drawing, square, signal)
  return picture && encodePicture(picture, { width: square.size, height: square.size }, format)
}

/** Draws the files on top of each other as red, green, blue and alpha; undefined if nothing is drawn. */
async function paint(
  { files, facts, symbols, isMixed }: Omit<RasterTileDrawing, 'square' | 'format'>,
  square: TileSquare,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const painters = symbols.map((symbol) => ({ colorize: colorizer(facts, symbol), opacity: symbol.opacity }))
  const picture = new Uint8Array(square.size * square.size * 4)
  const reading = { ...readingOf(signal), isMean: isMixed }
  let isEmpty = true
  for (const file of files) {
    signal.throwIfAborted()
    const cells = await withPyramid(file, async (handle, pyramid) =>
      pyramid === undefined ? undefined : readTileCells(handle, pyramid, square, reading),
    )
    if (cells === undefined || cells.alpha.every((share) => share === 0)) continue
    isEmpty = false
    for (const { colorize, opacity } of painters) paintCells(cells, colorize, opacity, picture)
  }
  return isEmpty ? undefined : picture
}

async function map(drawing: RasterMapDrawing, signal: AbortSignal): Promise<Uint8Array> {
  const { frame, format } = drawing
  const rgba = await drawMap(frame, drawing, (square) => paint(drawing, square, signal), signal)
  return encodePicture(rgba, frame, format)
}

const handlers = {
  /** Positions of footprints: see `mercatorBoxes`. */
  boxes: (
    { corners, crs }: { corners: Float64Array; crs: DrawnRasterSource['crs'] },
    { signal }: CallContext,
  ): Promise<Float64Array> => mercatorBoxes(corners, crs, signal),
  /** Returns the parts of Web Mercator that a raster covers. */
  parts: ({ source }: { source: DrawnRasterSource }, { signal }: CallContext): Promise<MercatorPart[]> =>
    mercatorParts(source, signal),
  look: (file: RasterFile): Promise<AlignedFacts | undefined> => inspect(file),
  /** Returns the range of most values of each band. */
  spread: async (
    { files }: { files: RasterFile[] },
    { signal }: CallContext,
  ): Promise<(Spread | undefined)[]> => (await sampled(files, signal)).map(spreadOf),
  /** Summarizes the contents of each band. */
  summaries: async (
    { files }: { files: RasterFile[] },
    { signal }: CallContext,
  ): Promise<(BandSummary | undefined)[]> => (await sampled(files, signal)).map(rasterSummary),
  map: (drawing: RasterMapDrawing, { signal }: CallContext): Promise<Uint8Array> => map(drawing, signal),
  draw: (drawing: RasterTileDrawing, { signal }: CallContext): Promise<Uint8Array | undefined> =>
    draw(drawing, signal),
}

export type RasterHandlers = typeof handlers

serveWork(handlers)
