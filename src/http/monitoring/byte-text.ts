const firstBytes = 4096
const zero = 48
const decimals = 10_000

/** UTF-8 of a constant, made once. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** A long text, written as UTF-8 without a string for each part. */
export class ByteText {
  #bytes = new Uint8Array(firstBytes)
  #length = 0

  bytes(part: Uint8Array): void {
    this.#reserve(part.length)
    this.#bytes.set(part, this.#length)
    this.#length += part.length
  }

  text(part: string): void {
    this.bytes(bytesOf(part))
  }

  json(value: unknown): void {
    this.text(JSON.stringify(value))
  }

  /** A whole number. */
  integer(value: number): void {
    if (!(value >= 0 && value < 1e9)) {
      this.text(String(value))
      return
    }
    let digits = 1
    for (let limit = 10; value >= limit; limit *= 10) digits += 1
    this.#reserve(digits)
    this.#digits(value, digits)
  }

  /** With four digits after the point. */
  decimal(value: number): void {
    const scaled = Math.round(Math.abs(value) * decimals)
    if (!(scaled < Number.MAX_SAFE_INTEGER)) {
      this.text(largeDecimal(value))
      return
    }
    const whole = Math.floor(scaled / decimals)
    if (value < 0 && scaled > 0) this.text('-')
    this.integer(whole)
    this.#reserve(5)
    this.#bytes[this.#length] = 46
    this.#length += 1
    this.#digits(scaled - whole * decimals, 4)
  }

  /** What was written; nothing can be written after that. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  #digits(value: number, count: number): void {
    let rest = value
    for (let at = this.#length + count - 1; at >= this.#length; at -= 1) {
      const next = Math.floor(rest / 10)
      this.#bytes[at] = zero + rest - next * 10
      rest = next
    }
    this.#length += count
  }

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

/** Beyond what doubles hold with four decimals. */
function largeDecimal(value: number): string {
  if (!Number.isFinite(value)) return '0.0000'
  return Math.abs(value) < 1e21 ? value.toFixed(4) : `${BigInt(value)}.0000`
}
