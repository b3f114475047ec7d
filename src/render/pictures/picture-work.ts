import type { CallContext } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { CutRequest } from './cut-picture.ts'
import { cutPicture } from './cut-picture.ts'
import type { Sprite } from './draw-sprite.ts'
import { drawSprite } from './draw-sprite.ts'
import type { ThumbnailDrawing } from './draw-thumbnail.ts'
import { thumbnailSvg } from './draw-thumbnail.ts'
import type { PictureFormat } from './encode-picture.ts'
import { loadSharp } from './load-sharp.ts'
import type { OverlayRequest } from './overlay.ts'
import { layOver } from './overlay.ts'
import { spanOfTile } from './read-features.ts'

/** Request to render an SVG created by the server. Plain data. */
export interface SvgImageRequest {
  svg: string
  /** Width of the SVG in its own units. */
  ownWidth: number
  /** Width of the image in pixels. */
  width: number
  height: number
  format: PictureFormat
}

/** Maximum number of pixels of an image. */
const maxCells = 4096 * 16_384
const usualDensity = 72

async function drawSvg({ svg, ownWidth, width, height, format }: SvgImageRequest): Promise<Uint8Array> {
  const sharp = await loadSharp()
  const density = (usualDensity * width) / ownWidth
  const drawn = sharp(Buffer.from(svg), { density, limitInputPixels: maxCells, unlimited: true })
  const sized = drawn.resize(width, height, { fit: 'fill' })
  if (format === 'webp') return sized.webp({ quality: 90, effort: 3 }).toBuffer()
  return sized.png({ compressionLevel: 7 }).toBuffer()
}

const handlers = {
  svg: (request: SvgImageRequest): Promise<Uint8Array> => drawSvg(request),
  cut: (request: CutRequest): Promise<Uint8Array[]> => cutPicture(request),
  lay: (request: OverlayRequest): Promise<Uint8Array> => layOver(request),
  thumbnail: (drawing: ThumbnailDrawing, { signal }: CallContext): Promise<Uint8Array> => {
    const { width, height, format } = drawing
    const svg = thumbnailSvg(drawing)
    signal.throwIfAborted()
    return drawSvg({ svg, ownWidth: width, width, height, format })
  },
  span: ({ tile }: { tile: Uint8Array }): [number, number] | undefined => spanOfTile(tile),
  sprite: ({ ratio }: { ratio: 1 | 2 }): Promise<Sprite> => drawSprite(ratio),
}

export type PictureHandlers = typeof handlers

serveWork(handlers)
