import type { PictureFormat } from './encode-picture.ts'
import { encodePicture } from './encode-picture.ts'
import { loadSharp } from './load-sharp.ts'

/** Request to cut an image into squares. Plain data. */
export interface CutRequest {
  /** A PNG created by the server. */
  picture: Uint8Array
  /** Offset of the first square in pixels. */
  left: number
  top: number
  /** Width of a square in pixels. */
  size: number
  columns: number
  rows: number
  format: PictureFormat
}

const channels = 4

/** Returns the squares, row by row; empty bytes for squares in which nothing is drawn. */
export async function cutPicture(request: CutRequest): Promise<Uint8Array[]> {
  const { picture, size, columns, rows, format } = request
  const sharp = await loadSharp()
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const squares: Uint8Array[] = []
  for (let at = 0; at < columns * rows; at += 1) {
    const [column, row] = [at % columns, Math.floor(at / columns)]
    const square = squareOf(data, info.width, request, { column, row })
    const isEmpty = !square.some((value, index) => index % channels === channels - 1 && value > 0)
    squares.push(
      isEmpty ? new Uint8Array() : await encodePicture(square, { width: size, height: size }, format),
    )
  }
  return squares
}

function squareOf(
  cells: Uint8Array,
  width: number,
  { left, top, size }: Pick<CutRequest, 'left' | 'top' | 'size'>,
  { column, row }: { column: number; row: number },
): Uint8Array {
  const square = new Uint8Array(size * size * channels)
  for (let y = 0; y < size; y += 1) {
    const start = ((top + row * size + y) * width + left + column * size) * channels
    square.set(cells.subarray(start, start + size * channels), y * size * channels)
  }
  return square
}
