import { loadSharp } from './load-sharp.ts'

/** Formats of composed images. */
export type OverlayFormat = 'png' | 'png8' | 'jpeg' | 'webp' | 'gif' | 'tiff'

/** Images of one size to compose. Plain data. */
export interface OverlayRequest {
  /** Images made by the server, bottom first. */
  pictures: readonly Uint8Array[]
  width: number
  height: number
  /** Red, green, blue and alpha from 0 to 255 of the background. */
  background: readonly [number, number, number, number]
  format: OverlayFormat
}

const jpegQuality = 85
const webpQuality = 85

/** Composes images into one. */
export async function layOver({
  pictures,
  width,
  height,
  background,
  format,
}: OverlayRequest): Promise<Uint8Array> {
  const sharp = await loadSharp()
  const [r, g, b, alpha] = background
  const below = sharp({ create: { width, height, channels: 4, background: { r, g, b, alpha: alpha / 255 } } })
  const laid = below.composite(pictures.map((picture) => ({ input: Buffer.from(picture) })))
  // Composes first: encoders would otherwise use the original image.
  const { data } = await laid.raw().toBuffer({ resolveWithObject: true })
  const whole = sharp(data, { raw: { width, height, channels: 4 } })
  if (format === 'jpeg') return whole.removeAlpha().jpeg({ quality: jpegQuality }).toBuffer()
  if (format === 'webp') return whole.webp({ quality: webpQuality, effort: 2 }).toBuffer()
  if (format === 'gif') return whole.gif({ effort: 1 }).toBuffer()
  if (format === 'tiff') return whole.tiff({ compression: 'deflate', predictor: 'horizontal' }).toBuffer()
  if (format === 'png8') return whole.png({ palette: true, colours: 256, effort: 1 }).toBuffer()
  return whole.png({ compressionLevel: 3 }).toBuffer()
}
