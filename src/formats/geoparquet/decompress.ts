import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { snappyUncompress } from 'hyparquet'
import { lz4Block, lz4Framed } from './lz4.ts'
import { damaged, guarded, notSupported } from './parquet-error.ts'

/**
 * Decompresses a page, which must have exactly `size` bytes; never produces more. Uncompressed bytes are not
 * copied.
 */
export function decompress(codec: string, bytes: Uint8Array, size: number): Uint8Array {
  if (codec === 'UNCOMPRESSED') return checkSize(bytes, size)
  if (size === 0) return new Uint8Array(0)
  return checkSize(
    guarded('a page', () => decode(codec, bytes, size)),
    size,
  )
}

function decode(codec: string, bytes: Uint8Array, size: number): Uint8Array {
  const options = { maxOutputLength: size }
  switch (codec) {
    case 'SNAPPY': {
      const target = new Uint8Array(size)
      snappyUncompress(bytes, target)
      return target
    }
    case 'GZIP':
      return gunzipSync(bytes, options)
    case 'ZSTD':
      return zstdDecompressSync(bytes, options)
    case 'BROTLI':
      return brotliDecompressSync(bytes, options)
    case 'LZ4_RAW':
      return lz4Block(bytes, size)
    case 'LZ4':
      return lz4Framed(bytes, size)
    default:
      throw notSupported(`The Parquet file is compressed with ${codec}, which is not read`)
  }
}

function checkSize(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.length !== size) throw damaged(`a page has ${bytes.length} bytes, its header says ${size}`)
  return bytes
}
