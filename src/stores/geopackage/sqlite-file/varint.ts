/** Returns the size of an SQLite varint (file format, section 1.6); for values up to 2^53. */
export function varintBytes(value: number): number {
  if (value < 0x80) return 1
  if (value < 0x4000) return 2
  let bytes = 3
  for (let rest = Math.floor(value / 0x200000); rest > 0; rest = Math.floor(rest / 128)) bytes += 1
  return bytes
}

/** Writes a varint, most significant bits first, and returns the offset after it; for values below 2^53. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  if (value < 0x80) {
    bytes[at] = value
    return at + 1
  }
  if (value < 0x4000) {
    bytes[at] = 0x80 | (value >> 7)
    bytes[at + 1] = value & 0x7f
    return at + 2
  }
  const end = at + varintBytes(value)
  let rest = value
  for (let to = end - 1; to >= at; to -= 1) {
    const low = rest % 128
    bytes[to] = to === end - 1 ? low : low | 0x80
    rest = (rest - low) / 128
  }
  return end
}
