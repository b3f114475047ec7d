const firstCapacity = 4096

/** UTF-8 assembled piece by piece; the byte after its end is 0. */
export class ScratchText {
  bytes = new Uint8Array(firstCapacity)
  length = 0

  clear(): void {
    // Releases the memory of a long text.
    if (this.bytes.length > 1 << 20) this.bytes = new Uint8Array(firstCapacity)
    this.length = 0
  }

  append(source: Uint8Array, start: number, end: number): void {
    if (start === end) return
    this.#reserve(end - start)
    this.bytes.set(source.subarray(start, end), this.length)
    this.length += end - start
  }

  /** Appends text with each line end normalized to a line feed (XML 1.0, section 2.11). */
  appendLines(source: Uint8Array, start: number, end: number): void {
    let from = start
    for (let at = start; at < end; at += 1) {
      if (source[at] !== 0x0d) continue
      this.append(source, from, at)
      if (source[at + 1] !== 0x0a) this.appendCodePoint(0x0a)
      from = at + 1
    }
    this.append(source, from, end)
  }

  appendCodePoint(code: number): void {
    this.#reserve(4)
    if (code < 0x80) {
      this.bytes[this.length] = code
      this.length += 1
      return
    }
    const length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    const { bytes, length: at } = this
    for (let i = length - 1, rest = code; i > 0; i -= 1, rest >>= 6) bytes[at + i] = 0x80 | (rest & 0x3f)
    bytes[at] = ((0xf00 >> length) & 0xff) | (code >> (6 * (length - 1)))
    this.length += length
  }

  /** Sets the byte after the end. */
  seal(): void {
    this.#reserve(1)
    this.bytes[this.length] = 0
  }

  #reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
  }
}
