import { promisify } from 'node:util'
import { inflate, zstdDecompress } from 'node:zlib'
import { decodeLzw } from './decode-lzw.ts'
import type { TiffImage } from './tiff-images.ts'

const inflateBytes = promisify(inflate)
const unzstd = promisify(zstdDecompress)

/** Samples of a block, band after band for each cell. */
export type Samples =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array

/** Decodes an image inside a TIFF to cells of 8 bits. */
export type DecodePicture = (bytes: Buffer, samples: number) => Promise<Uint8Array>

/** Codes of supported compressions; blocks with JPEG and WebP are complete images. */
const compressions = { none: 1, lzw: 5, jpeg: 7, deflate: 8, oldDeflate: 32946, zstd: 50000, webp: 50001 }
const pictures = new Set([compressions.jpeg, compressions.webp])

/** True if the blocks of an image can be decoded here; GDAL converts others. */
export function canDecode({
  compression,
  bits,
  kind,
  predictor,
  photometric,
  samples,
  isPlanar,
}: TiffImage): boolean {
  if (!Object.values(compressions).includes(compression)) return false
  if (pictures.has(compression)) {
    return bits === 8 && kind === 'uint' && !isPlanar && photometric !== 5 && (samples === 1 || samples >= 3)
  }
  // Predictor 2 of floats adds their bits as integers: GDAL converts such files.
  if (kind === 'float') return (bits === 32 || bits === 64) && [1, 3].includes(predictor)
  return (
    (bits === 8 || bits === 16 || bits === 32 || (bits === 1 && samples === 1)) && [1, 2].includes(predictor)
  )
}

/** JPEG blocks share tables, which are stored once in the directory (TIFF technical note 2). */
function withTables(bytes: Buffer, tables: readonly number[] | undefined): Buffer {
  if (tables === undefined) return bytes
  return Buffer.concat([Buffer.from(tables.slice(0, -2)), bytes.subarray(2)])
}

function unpack(bytes: Buffer, image: TiffImage, maxBytes: number): Buffer | Promise<Buffer> {
  switch (image.compression) {
    case compressions.none:
      return bytes
    case compressions.lzw:
      return decodeLzw(bytes, maxBytes)
    case compressions.zstd:
      return unzstd(bytes, { maxOutputLength: maxBytes })
    default:
      return inflateBytes(bytes, { maxOutputLength: maxBytes })
  }
}

/** Expands one bit per cell to 0 and 255; rows begin at whole bytes. */
function spreadBits(bytes: Uint8Array, width: number, height: number): Uint8Array {
  const cells = new Uint8Array(width * height)
  const rowBytes = Math.ceil(width / 8)
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const byte = bytes[row * rowBytes + (column >> 3)] ?? 0
      cells[row * width + column] = ((byte >> (7 - (column & 7))) & 1) * 255
    }
  }
  return cells
}

/**
 * Reassembles floats whose bytes were separated by significance and encoded as differences (TIFF technical
 * note 3).
 */
function joinFloatBytes(bytes: Buffer, rowValues: number, width: number, samples: number): Buffer {
  const rowBytes = rowValues * width
  const joined = Buffer.alloc(bytes.length)
  for (let start = 0; start + rowBytes <= bytes.length; start += rowBytes) {
    for (let at = start + samples; at < start + rowBytes; at += 1) {
      bytes[at] = ((bytes[at] ?? 0) + (bytes[at - samples] ?? 0)) & 255
    }
    for (let value = 0; value < rowValues; value += 1) {
      for (let byte = 0; byte < width; byte += 1) {
        joined[start + value * width + byte] = bytes[start + (width - 1 - byte) * rowValues + value] ?? 0
      }
    }
  }
  return joined
}

function arrayOver(bytes: Buffer, { kind, bits }: TiffImage): Samples {
  const { buffer, byteOffset, byteLength } =
    bytes.byteOffset % 8 === 0 ? bytes : Buffer.from(Uint8Array.from(bytes).buffer)
  const count = byteLength / (bits / 8)
  const length = Math.floor(count)
  if (kind === 'float') {
    return bits === 64
      ? new Float64Array(buffer, byteOffset, length)
      : new Float32Array(buffer, byteOffset, length)
  }
  const isSigned = kind === 'int'
  if (bits === 8)
    return isSigned ? new Int8Array(buffer, byteOffset, length) : new Uint8Array(buffer, byteOffset, length)
  if (bits === 16) {
    return isSigned ? new Int16Array(buffer, byteOffset, length) : new Uint16Array(buffer, byteOffset, length)
  }
  return isSigned ? new Int32Array(buffer, byteOffset, length) : new Uint32Array(buffer, byteOffset, length)
}

function swapBytes(bytes: Buffer, bits: number): void {
  if (bits === 16) bytes.swap16()
  else if (bits === 32) bytes.swap32()
  else if (bits === 64) bytes.swap64()
}

/** Decodes values that are differences from the previous cell (TIFF 6.0, section 14). */
function addUp(values: Samples, rowValues: number, samples: number): void {
  for (let start = 0; start < values.length; start += rowValues) {
    const end = Math.min(start + rowValues, values.length)
    for (let at = start + samples; at < end; at += 1) {
      values[at] = (values[at] ?? 0) + (values[at - samples] ?? 0)
    }
  }
}

/** Decodes the cells of one block; a planar block has one sample per cell. */
export async function decodeBlock(
  bytes: Buffer,
  image: TiffImage,
  decodePicture: DecodePicture,
): Promise<Samples> {
  const { blockWidth, blockHeight, bits, predictor } = image
  const samples = image.isPlanar ? 1 : image.samples
  const count = blockWidth * blockHeight * samples
  if (pictures.has(image.compression)) {
    const isJpeg = image.compression === compressions.jpeg
    return decodePicture(isJpeg ? withTables(bytes, image.jpegTables) : bytes, samples)
  }
  const rowBytes = Math.ceil((blockWidth * samples * bits) / 8)
  const requested = rowBytes * blockHeight
  const read = await unpack(bytes, image, requested)
  const whole =
    read.length >= requested
      ? read.subarray(0, requested)
      : Buffer.concat([read, Buffer.alloc(requested - read.length)])
  if (bits === 1) return spreadBits(whole, blockWidth, blockHeight)
  if (predictor === 3) {
    const joined = joinFloatBytes(whole, blockWidth * samples, bits / 8, samples)
    return arrayOver(joined, image)
  }
  const own = Buffer.from(whole)
  if (!image.isLittle) swapBytes(own, bits)
  const values = arrayOver(own, image).subarray(0, count)
  if (predictor === 2) addUp(values, blockWidth * samples, samples)
  return values
}
