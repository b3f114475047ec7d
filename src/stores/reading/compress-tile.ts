import { crc32, gzipSync } from 'node:zlib'

/** Quick, and a tenth larger than the default would make it. */
const gzipLevel = 1
/** What is smaller is hardly made smaller, which takes longer than all else of it. */
const leastBytes = 256
const mostChunkBytes = 1 << 18
const headerBytes = 10
const blockHeadBytes = 5
const trailerBytes = 8

/**
 * By gzip, in memory of its own size: it crosses to another thread, and is kept there, with all of the memory that it is a
 * view of.
 */
export function compressTile(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return new Uint8Array(0)
  if (bytes.length < leastBytes) return stored(bytes)
  // Room for all of it at once: the default is more than most tiles need, and several pieces for large ones.
  const chunkSize = Math.min(bytes.length + leastBytes, mostChunkBytes)
  return new Uint8Array(gzipSync(bytes, { level: gzipLevel, chunkSize }))
}

/** As one block that holds the bytes as they are (RFC 1951, section 3.2.4; RFC 1952). */
function stored(bytes: Uint8Array): Uint8Array {
  const { length } = bytes
  const gzip = new Uint8Array(headerBytes + blockHeadBytes + length + trailerBytes)
  const view = new DataView(gzip.buffer)
  gzip.set([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff, 1])
  view.setUint16(headerBytes + 1, length, true)
  view.setUint16(headerBytes + 3, ~length & 0xffff, true)
  gzip.set(bytes, headerBytes + blockHeadBytes)
  const end = headerBytes + blockHeadBytes + length
  view.setUint32(end, crc32(bytes), true)
  view.setUint32(end + 4, length, true)
  return gzip
}
