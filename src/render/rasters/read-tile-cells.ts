import type { FileHandle } from 'node:fs/promises'
import type { Cells } from './cells.ts'
import { reduceCells, spreadCells, toCells } from './cells.ts'
import type { DecodePicture } from './tiff/decode-block.ts'
import type { PixelWindow } from './tiff/read-window.ts'
import { readWindow } from './tiff/read-window.ts'
import type { PyramidLevel, TiffPyramid } from './tiff/tiff-pyramid.ts'

/** A square of cells of a zoom level of Web Mercator. */
export interface TileSquare {
  zoom: number
  /** Column of its upper left cell. */
  column: number
  row: number
  /** Width in cells. */
  size: number
}

/** Options for reading while a client waits. */
export interface CellReading {
  decodePicture: DecodePicture
  signal: AbortSignal
}

/** Returns the coarsest level that is at least as fine as the zoom level, else the finest one. */
function levelFor({ levels }: TiffPyramid, zoom: number): PyramidLevel | undefined {
  return levels.findLast((level) => level.zoom >= zoom) ?? levels[0]
}

async function readLevel(
  file: FileHandle,
  { image, mask }: PyramidLevel,
  window: PixelWindow,
  noData: number | undefined,
  reading: CellReading,
): Promise<Cells> {
  const cells = await readWindow(file, image, window, reading)
  const masked = mask === undefined ? {} : { mask: await readWindow(file, mask, window, reading) }
  return toCells(cells, image, { ...masked, noData })
}

function parseNoData(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isNaN(value) ? undefined : value
}

/**
 * Returns the part of a window that the level contains: from cells of the whole zoom to the level's own
 * cells.
 */
function clip({ column, row, width, height }: PixelWindow, level: PyramidLevel): PixelWindow | undefined {
  const left = Math.max(column, level.column)
  const top = Math.max(row, level.row)
  const right = Math.min(column + width, level.column + level.image.width)
  const bottom = Math.min(row + height, level.row + level.image.height)
  if (right <= left || bottom <= top) return undefined
  return { column: left - level.column, row: top - level.row, width: right - left, height: bottom - top }
}

/**
 * Returns the cells of a raster in a square; undefined if they do not intersect. A zoom coarser than the
 * levels uses means (`isMean`) or every nth cell, a finer one repeated cells.
 */
export async function readTileCells(
  file: FileHandle,
  pyramid: TiffPyramid,
  { zoom, column, row, size }: TileSquare,
  { isMean, ...reading }: CellReading & { isMean: boolean },
): Promise<Cells | undefined> {
  const level = levelFor(pyramid, zoom)
  if (level === undefined) return undefined
  const noData = parseNoData(pyramid.noData)
  const step = 2 ** Math.abs(level.zoom - zoom)
  if (level.zoom >= zoom) {
    const requested = { column: column * step, row: row * step, width: size * step, height: size * step }
    const window = clip(requested, level)
    if (window === undefined) return undefined
    const cells = await readLevel(file, level, window, noData, reading)
    const left = window.column + level.column - requested.column
    const top = window.row + level.row - requested.row
    return reduceCells(cells, { left, top, step, size }, isMean)
  }
  const first = { column: Math.floor(column / step), row: Math.floor(row / step) }
  const end = { column: Math.ceil((column + size) / step), row: Math.ceil((row + size) / step) }
  const requestedItem = { ...first, width: end.column - first.column, height: end.row - first.row }
  if (clip(requestedItem, level) === undefined) return undefined
  const window = {
    ...requestedItem,
    column: requestedItem.column - level.column,
    row: requestedItem.row - level.row,
  }
  const cells = await readLevel(file, level, window, noData, reading)
  return spreadCells(cells, step, { left: column - first.column * step, top: row - first.row * step, size })
}
