const clearCode = 256
const endCode = 257
const maxCodes = 4096

/**
 * Decodes LZW of TIFF 6.0, section 13: codes of 9 to 12 bits, most significant bits first. Returns at most
 * `maxBytes`.
 */
export function decodeLzw(bytes: Uint8Array, maxBytes: number): Buffer {
  const out = Buffer.alloc(maxBytes)
  const starts = new Uint32Array(maxCodes)
  const lengths = new Uint32Array(maxCodes)
  let next = 258
  let width = 9
  let filled = 0
  let before = -1
  let bits = 0
  let held = 0
  for (let at = 0; at < bytes.length || held >= width; ) {
    while (held < width && at < bytes.length) {
      bits = ((bits << 8) | (bytes[at] ?? 0)) & 0xffffff
      held += 8
      at += 1
    }
    if (held < width) break
    const code = (bits >> (held - width)) & ((1 << width) - 1)
    held -= width
    if (code === endCode) break
    if (code === clearCode) {
      next = 258
      width = 9
      before = -1
      continue
    }
    const start = filled
    if (code < 256) {
      if (filled >= maxBytes) break
      out[filled] = code
      filled += 1
    } else {
      if (code > next || before < 0) throw new Error('LZW data of the TIFF are damaged')
      // A code that is not yet defined means the previous string followed by its first byte.
      const isNew = code === next
      const from = isNew ? before : (starts[code] ?? 0)
      const length = isNew ? start - before + 1 : (lengths[code] ?? 0)
      for (let index = 0; index < length && filled < maxBytes; index += 1) {
        out[filled] = out[from + index] ?? 0
        filled += 1
      }
    }
    if (before >= 0 && next < maxCodes) {
      starts[next] = before
      lengths[next] = start - before + 1
      next += 1
    }
    if (next + 1 >= 1 << width && width < 12) width += 1
    before = start
  }
  return out.subarray(0, filled)
}
