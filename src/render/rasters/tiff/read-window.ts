import type { FileHandle } from 'node:fs/promises'
import type { DecodePicture, Samples } from './decode-block.ts'
import { decodeBlock } from './decode-block.ts'
import { readBytes } from './tiff-fields.ts'
import type { TiffImage } from './tiff-images.ts'

/** A part of an image in its cells; it may extend beyond the image. */
export interface PixelWindow {
  column: number
  row: number
  width: number
  height: number
}

/** The cells of a window as floating-point numbers, interleaved samples; NaN outside of the image. */
export interface WindowCells extends PixelWindow {
  samples: number
  values: Float64Array | Float32Array
}

/** Maximum size of a stored block in bytes. */
const maxBlockBytes = 64 << 20

/** Reads a block; undefined if the file omits it. */
async function readBlock(
  file: FileHandle,
  image: TiffImage,
  index: number,
  decodePicture: DecodePicture,
): Promise<Samples | undefined> {
  const offset = image.offsets[index] ?? 0
  const length = image.lengths[index] ?? 0
  if (offset === 0 || length === 0) return undefined
  if (length > maxBlockBytes) throw new Error(`A block of the TIFF has ${length} bytes`)
  return decodeBlock(await readBytes(file, offset, length), image, decodePicture)
}

interface BlockPlace {
  left: number
  top: number
  /** First sample of the cell that the block contains, and the number of samples. */
  sample: number
  samples: number
}

function copyBlock(
  block: Samples | undefined,
  { blockWidth, blockHeight, width, height }: TiffImage,
  { left, top, sample, samples }: BlockPlace,
  target: WindowCells,
): void {
  const fromColumn = Math.max(left, target.column)
  const toColumn = Math.min(left + blockWidth, target.column + target.width, width)
  const fromRow = Math.max(top, target.row)
  const toRow = Math.min(top + blockHeight, target.row + target.height, height)
  const isWhole = samples === target.samples && block !== undefined
  for (let row = fromRow; row < toRow; row += 1) {
    let from = ((row - top) * blockWidth + (fromColumn - left)) * samples
    let to = ((row - target.row) * target.width + (fromColumn - target.column)) * target.samples + sample
    if (isWhole) {
      target.values.set(block.subarray(from, from + (toColumn - fromColumn) * samples), to)
      continue
    }
    for (let column = fromColumn; column < toColumn; column += 1) {
      for (let index = 0; index < samples; index += 1) target.values[to + index] = block?.[from + index] ?? 0
      from += samples
      to += target.samples
    }
  }
}

/** Reads a window of an image. Omitted blocks are zeros. */
export async function readWindow(
  file: FileHandle,
  image: TiffImage,
  window: PixelWindow,
  { decodePicture, signal }: { decodePicture: DecodePicture; signal: AbortSignal },
): Promise<WindowCells> {
  const { blockWidth, blockHeight, samples, isPlanar, width, height, bits } = image
  const count = window.width * window.height * samples
  const values = (bits > 24 ? new Float64Array(count) : new Float32Array(count)).fill(Number.NaN)
  const cells: WindowCells = { ...window, samples, values }
  const across = Math.ceil(width / blockWidth)
  const down = Math.ceil(height / blockHeight)
  const firstColumn = Math.max(0, Math.floor(window.column / blockWidth))
  const firstRow = Math.max(0, Math.floor(window.row / blockHeight))
  const endColumn = Math.min(across, Math.ceil((window.column + window.width) / blockWidth))
  const endRow = Math.min(down, Math.ceil((window.row + window.height) / blockHeight))
  for (let band = 0; band < (isPlanar ? samples : 1); band += 1) {
    for (let y = firstRow; y < endRow; y += 1) {
      for (let x = firstColumn; x < endColumn; x += 1) {
        signal.throwIfAborted()
        const block = await readBlock(file, image, band * across * down + y * across + x, decodePicture)
        const corner = { left: x * blockWidth, top: y * blockHeight }
        const held = isPlanar ? { sample: band, samples: 1 } : { sample: 0, samples }
        copyBlock(block, image, { ...corner, ...held }, cells)
      }
    }
  }
  return cells
}
