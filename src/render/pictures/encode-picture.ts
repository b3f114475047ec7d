import { loadSharp } from './load-sharp.ts'

/** Transparent images by format and width. */
const files: Record<PictureFormat, Record<256 | 512, string>> = {
  png: {
    256: 'iVBORw0KGgoAAAANSUhEUgAAAQAAAAEAAQMAAABmvDolAAAAA1BMVEUAAACnej3aAAAAAXRSTlMAQObYZgAAAB9JREFUeNrtwQENAAAAwqD3T20ON6AAAAAAAAAAAL4NIQAAAWDknZcAAAAASUVORK5CYII=',
    512: 'iVBORw0KGgoAAAANSUhEUgAAAgAAAAIAAQMAAADOtka5AAAAA1BMVEUAAACnej3aAAAAAXRSTlMAQObYZgAAADZJREFUeNrtwQEBAAAAgiD/r25IQAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAfBuCAAABY3VQpAAAAABJRU5ErkJggg==',
  },
  webp: {
    256: 'UklGRiIAAABXRUJQVlA4TBUAAAAv/8A/EAcQEREAUKT//ymi/6n//QcA',
    512: 'UklGRiwAAABXRUJQVlA4TB8AAAAv/8F/EAcQEREQCCT7e89QRP8z/vOf//znP//5z/8BAA==',
  },
}

/**
 * Returns a transparent picture for a tile that shows nothing. A tile without content would be wrong: OpenLayers and others
 * then draw the enlarged tile of the zoom level above.
 */
export function emptyPicture(format: PictureFormat, width: 256 | 512): Buffer {
  return Buffer.from(files[format][width], 'base64')
}

/** Image formats with transparency. */
export type PictureFormat = 'png' | 'webp'

/** Media types of image formats with transparency. */
export const pictureMediaTypes: Record<PictureFormat, string> = { png: 'image/png', webp: 'image/webp' }

/** Map formats, including those without transparency. */
export type MapFormat = PictureFormat | 'jpeg'

/** Media types of map formats. */
export const mapMediaTypes: Record<MapFormat, string> = { ...pictureMediaTypes, jpeg: 'image/jpeg' }

interface Size {
  width: number
  height: number
}

const webpQuality = 85
const jpegQuality = 90

/** Encodes an image of red, green, blue and alpha. */
export async function encodePicture(
  rgba: Uint8Array,
  { width, height }: Size,
  format: MapFormat,
): Promise<Uint8Array> {
  const sharp = await loadSharp()
  const picture = sharp(rgba, { raw: { width, height, channels: 4 } })
  if (format === 'jpeg')
    return picture.removeAlpha().jpeg({ quality: jpegQuality, chromaSubsampling: '4:4:4' }).toBuffer()
  if (format === 'webp') return picture.webp({ quality: webpQuality, effort: 2 }).toBuffer()
  return picture.png({ compressionLevel: 6 }).toBuffer()
}

/**
 * Decodes a JPEG or WebP block of another file to its samples; its first bytes determine the format, and
 * other formats are refused.
 */
export async function decodePicture(bytes: Buffer, samples: number, maxCells: number): Promise<Uint8Array> {
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && /^WEBP/.test(bytes.toString('latin1', 8, 12))
  if (!isJpeg && !isWebp) throw new Error('A block is neither JPEG nor WebP')
  const sharp = await loadSharp()
  const read = sharp(bytes, { failOn: 'error', limitInputPixels: maxCells, autoOrient: false })
  const plain = samples === 1 ? read.toColourspace('b-w') : read.toColourspace('srgb')
  const shaped = samples === 4 ? plain.ensureAlpha() : plain.removeAlpha()
  return shaped.raw().toBuffer()
}
