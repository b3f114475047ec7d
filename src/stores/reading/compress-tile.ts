import { crc32, gzipSync } from 'node:zlib'

/** Fastest level; tiles are a tenth larger than with the default level. */
const gzipLevel = 1
/** Compressing smaller tiles hardly reduces their size and takes longer than all other steps. */
const minBytes = 256
const maxChunkBytes = 1 << 18
const blockHeadBytes = 5
const trailerBytes = 8
/** RFC 1952, section 2.3: deflate, no name, no time, fastest algorithm, unknown system. */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff)

/**
 * Compresses with gzip into memory of the exact size: the tile is transferred to another thread and cached
 * there with the whole buffer.
 */
export function compressTile(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return new Uint8Array(0)
  if (bytes.length < minBytes) return stored(bytes)
  // Output buffer for the whole tile: the default is larger than most tiles, and splits large ones.
  const chunkSize = Math.min(bytes.length + minBytes, maxChunkBytes)
  return new Uint8Array(gzipSync(bytes, { level: gzipLevel, chunkSize }))
}

/** Returns a gzip file with one stored block (RFC 1951, section 3.2.4). */
function stored(bytes: Uint8Array): Uint8Array {
  const { length } = bytes
  const gzip = new Uint8Array(header.length + blockHeadBytes + length + trailerBytes)
  const view = new DataView(gzip.buffer)
  gzip.set(header)
  gzip[header.length] = 1
  view.setUint16(header.length + 1, length, true)
  view.setUint16(header.length + 3, ~length & 0xffff, true)
  gzip.set(bytes, header.length + blockHeadBytes)
  view.setUint32(gzip.length - trailerBytes, crc32(bytes), true)
  view.setUint32(gzip.length - trailerBytes + 4, length, true)
  return gzip
}
