/**
 * Decompresses an LZ4 block (LZ4 Block Format Description) of `size` bytes. Throws a plain error for invalid
 * bytes.
 */
export function lz4Block(source: Uint8Array, size: number): Uint8Array {
  const target = new Uint8Array(size)
  if (decodeBlock(source, target, 0) !== size) throw new Error('the LZ4 block is too short')
  return target
}

/** Decompresses blocks with size prefixes, as Hadoop writes them; if that does not fit, one bare block. */
export function lz4Framed(source: Uint8Array, size: number): Uint8Array {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength)
  const target = new Uint8Array(size)
  let at = 0
  let to = 0
  while (at + 8 <= source.length) {
    const plain = view.getUint32(at)
    const packed = view.getUint32(at + 4)
    if (plain > size - to || packed > source.length - at - 8) return lz4Block(source, size)
    if (
      decodeBlock(source.subarray(at + 8, at + 8 + packed), target.subarray(0, to + plain), to) !==
      to + plain
    ) {
      throw new Error('an LZ4 block is too short')
    }
    at += 8 + packed
    to += plain
  }
  if (at !== source.length || to !== size) return lz4Block(source, size)
  return target
}

/** Decompresses into `target` from `to` on; returns the end. */
function decodeBlock(source: Uint8Array, target: Uint8Array, from: number): number {
  let at = 0
  let to = from
  const length = (nibble: number): number => {
    let value = nibble
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; value += byte) {
      byte = source[at] ?? 0
      at += 1
    }
    return value
  }
  while (at < source.length) {
    const token = source[at] as number
    at += 1
    const literals = length(token >> 4)
    if (at + literals > source.length || to + literals > target.length)
      throw new Error('LZ4 literals run over')
    target.set(source.subarray(at, at + literals), to)
    at += literals
    to += literals
    if (at === source.length) break
    const offset = (source[at] as number) | ((source[at + 1] ?? 0) << 8)
    at += 2
    const count = length(token & 15) + 4
    if (offset === 0 || offset > to || to + count > target.length) throw new Error('an LZ4 match runs over')
    for (const end = to + count; to < end; to += 1) target[to] = target[to - offset] as number
  }
  return to
}
