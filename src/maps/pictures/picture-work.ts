import { serveWork } from '../../lib/workers/serve-work.ts'
import type { PictureFormat } from './encode-picture.ts'
import { loadSharp } from './load-sharp.ts'

/** An SVG of our own making that is to become a picture. Plain data. */
export interface SvgWish {
  svg: string
  /** Of the picture, in pixels. */
  width: number
  height: number
  format: PictureFormat
}

/** Cells of a picture at most. */
const maxCells = 4096 * 16_384
const usualDensity = 72

async function drawSvg({ svg, width, height, format }: SvgWish): Promise<Uint8Array> {
  const sharp = await loadSharp()
  const own = /<svg [^>]*?width="([\d.]+)"/.exec(svg)?.[1]
  const density = own === undefined ? usualDensity : (usualDensity * width) / Number(own)
  const drawn = sharp(Buffer.from(svg), { density, limitInputPixels: maxCells, unlimited: true })
  const sized = drawn.resize(width, height, { fit: 'fill' })
  return format === 'webp'
    ? sized.webp({ quality: 90, effort: 3 }).toBuffer()
    : sized.png({ compressionLevel: 7 }).toBuffer()
}

const handlers = {
  /** Throws `Failure` (`no-pictures`) where pictures cannot be made. */
  svg: (wish: SvgWish): Promise<Uint8Array> => drawSvg(wish),
}

export type PictureHandlers = typeof handlers

serveWork(handlers)
