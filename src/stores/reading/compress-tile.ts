import { crc32, gzipSync } from 'node:zlib'
import { deflateInto, mostDeflated } from '../../tiles/pack/deflate.ts'

/** Quick, and a tenth larger than the default would make it. */
const gzipLevel = 1
/** What is smaller is hardly made smaller, which takes longer than all else of it. */
const leastBytes = 256
/** Up to here `zlib` takes longer, and more memory. */
const mostOwnBytes = mostDeflated
const mostChunkBytes = 1 << 18
const blockHeadBytes = 5
const trailerBytes = 8
/** RFC 1952, section 2.3: deflate, no name, no time, made for speed, by an unknown system. */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff)

let room = new Uint8Array(0)

/**
 * By gzip, in memory of its own size: it crosses to another thread, and is kept there, with all of the memory that it is a
 * view of.
 */
export function compressTile(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return new Uint8Array(0)
  if (bytes.length < leastBytes) return stored(bytes)
  if (bytes.length <= mostOwnBytes) return deflated(bytes)
  // Room for all of it at once: the default is more than most tiles need, and several pieces for large ones.
  const chunkSize = Math.min(bytes.length + leastBytes, mostChunkBytes)
  return new Uint8Array(gzipSync(bytes, { level: gzipLevel, chunkSize }))
}

/** As one block that holds the bytes as they are (RFC 1951, section 3.2.4). */
function stored(bytes: Uint8Array): Uint8Array {
  const { length } = bytes
  const gzip = new Uint8Array(header.length + blockHeadBytes + length + trailerBytes)
  const view = new DataView(gzip.buffer)
  gzip.set(header)
  gzip[header.length] = 1
  view.setUint16(header.length + 1, length, true)
  view.setUint16(header.length + 3, ~length & 0xffff, true)
  gzip.set(bytes, header.length + blockHeadBytes)
  return closed(gzip, bytes)
}

function deflated(bytes: Uint8Array): Uint8Array {
  if (room.length === 0) room = new Uint8Array(mostOwnBytes * 1.5 + 512)
  const end = deflateInto(bytes, room, header.length)
  if (end > header.length + blockHeadBytes + bytes.length) return stored(bytes)
  const gzip = new Uint8Array(end + trailerBytes)
  gzip.set(room.subarray(0, end))
  gzip.set(header)
  return closed(gzip, bytes)
}

/** With the checksum and length of what was packed at its end. */
function closed(gzip: Uint8Array<ArrayBuffer>, bytes: Uint8Array): Uint8Array {
  const view = new DataView(gzip.buffer)
  view.setUint32(gzip.length - trailerBytes, crc32(bytes), true)
  view.setUint32(gzip.length - trailerBytes + 4, bytes.length, true)
  return gzip
}
