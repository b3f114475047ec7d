import type { WindowCells } from './tiff/read-window.ts'
import type { TiffImage } from './tiff/tiff-images.ts'

/** Cells of a raster: interleaved band values, and alpha. */
export interface Cells {
  width: number
  height: number
  bands: number
  values: Float64Array | Float32Array
  /** 0 for cells without data, 255 for fully opaque cells. */
  alpha: Uint8Array
}

const fullAlpha = new Map([
  ['uint8', 255],
  ['uint16', 65535],
])

/** Returns the alpha value that means opaque, by cell type; undefined if every value except 0 does. */
function alphaScale({ kind, bits }: TiffImage): number | undefined {
  const full = fullAlpha.get(`${kind}${bits}`)
  return full === undefined ? undefined : 255 / full
}

/** Returns the index of the alpha sample; -1 if there is none. */
function alphaSample({ samples, extraSamples }: TiffImage): number {
  const at = extraSamples.findIndex((meaning) => meaning === 1 || meaning === 2)
  return at < 0 ? -1 : samples - extraSamples.length + at
}

/** Conditions for cells without data. */
export interface Absence {
  /** Value of cells without data, in addition to NaN. */
  noData?: number
  /** Alpha of the same window from a mask; 0: no data. */
  mask?: WindowCells
}

/** Converts a window to cells with alpha, by nodata value, mask and alpha band. */
export function toCells(window: WindowCells, image: TiffImage, { noData, mask }: Absence): Cells {
  const { width, height, samples, values } = window
  const alphaAt = alphaSample(image)
  const bands = alphaAt < 0 ? samples : samples - 1
  const scale = alphaScale(image)
  const out = alphaAt < 0 ? values : new (values.constructor as typeof Float64Array)(width * height * bands)
  const alpha = new Uint8Array(width * height)
  for (let cell = 0; cell < width * height; cell += 1) {
    const from = cell * samples
    let isThere = false
    let isNumber = true
    for (let band = 0; band < bands; band += 1) {
      const value = values[from + band + (alphaAt >= 0 && band >= alphaAt ? 1 : 0)] ?? Number.NaN
      if (Number.isNaN(value)) isNumber = false
      if (value !== noData) isThere = true
      out[cell * bands + band] = value
    }
    const given = alphaAt < 0 ? 1 : (values[from + alphaAt] ?? 0)
    const ofMask = mask === undefined ? 1 : (mask.values[cell] ?? 0)
    if (!isThere || !isNumber || ofMask === 0 || !(given > 0)) continue
    alpha[cell] = alphaAt < 0 || scale === undefined ? 255 : Math.round(given * scale)
  }
  return { width, height, bands, values: out, alpha }
}

/** Position of cells in a coarser square, each of whose cells covers `step` cells in both directions. */
export interface Coarser {
  /** Column of the upper left cell, relative to that of the square, in finer cells. */
  left: number
  top: number
  step: number
  /** Width of the square in cells. */
  size: number
}

/** Reduction above which data smaller than a cell are still shown. */
const speckStep = 32
const speckAlpha = 128

/** Returns a square whose cells are the means of the finer cells (`isMean`), or the first one with data. */
export function reduceCells(cells: Cells, { left, top, step, size }: Coarser, isMean: boolean): Cells {
  const { bands, width } = cells
  const values = new Float64Array(size * size * bands)
  const weights = new Float64Array(size * size)
  for (let y = 0; y < cells.height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const from = y * width + x
      const share = cells.alpha[from] ?? 0
      if (share === 0) continue
      const to = Math.floor((top + y) / step) * size + Math.floor((left + x) / step)
      const before = weights[to] ?? 0
      weights[to] = before + share
      if (before > 0 && !isMean) continue
      const factor = isMean ? share : 1
      for (let band = 0; band < bands; band += 1) {
        const at = to * bands + band
        values[at] = (values[at] ?? 0) + (cells.values[from * bands + band] ?? 0) * factor
      }
    }
  }
  const alpha = new Uint8Array(size * size)
  for (const [to, weight] of weights.entries()) {
    if (weight === 0) continue
    const share = Math.round(weight / (step * step))
    alpha[to] = step > speckStep ? Math.max(share, speckAlpha) : share
    if (!isMean) continue
    for (let band = 0; band < bands; band += 1)
      values[to * bands + band] = (values[to * bands + band] ?? 0) / weight
  }
  return { width: size, height: size, bands, values, alpha }
}

/** Repeats each cell `step` times in both directions, from an offset in the finer cells. */
export function spreadCells(
  cells: Cells,
  step: number,
  { left, top, size }: { left: number; top: number; size: number },
): Cells {
  const { bands } = cells
  const values = new Float64Array(size * size * bands)
  const alpha = new Uint8Array(size * size)
  for (let y = 0; y < size; y += 1) {
    const row = Math.floor((top + y) / step)
    for (let x = 0; x < size; x += 1) {
      const from = row * cells.width + Math.floor((left + x) / step)
      alpha[y * size + x] = cells.alpha[from] ?? 0
      for (let band = 0; band < bands; band += 1)
        values[(y * size + x) * bands + band] = cells.values[from * bands + band] ?? Number.NaN
    }
  }
  return { width: size, height: size, bands, values, alpha }
}
