const firstBytes = 4096
const zero = 48
const point = 46
const decimals = 10_000
const longestNumber = 400

/** UTF-8 of a constant, made once. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

/** A long text, written as UTF-8 without a string for each part. */
export class ByteText {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0
  #lastDecimal = Number.NaN
  #lastStart = 0
  #lastEnd = 0

  /** `expectedBytes`: about how long the text becomes. */
  constructor(expectedBytes = firstBytes) {
    this.#bytes = new Uint8Array(expectedBytes)
  }

  bytes(part: Uint8Array): void {
    const { length } = part
    this.#reserve(length)
    const bytes = this.#bytes
    const start = this.#length
    if (length > 32) bytes.set(part, start)
    else for (let index = 0; index < length; index += 1) bytes[start + index] = part[index] ?? 0
    this.#length = start + length
  }

  text(part: string): void {
    this.bytes(bytesOf(part))
  }

  /** A whole number. */
  integer(value: number): void {
    if (value >= 0 && value < 1e9) {
      this.#reserve(longestNumber)
      this.#digits(value, digitCount(value))
    } else this.text(String(value))
  }

  /** Writes four decimal places. Reuses the text of the previous number: numbers often repeat. */
  decimal(value: number): void {
    this.#reserve(longestNumber)
    const start = this.#length
    if (value === this.#lastDecimal) {
      const bytes = this.#bytes
      let to = start
      for (let from = this.#lastStart; from < this.#lastEnd; from += 1, to += 1) bytes[to] = bytes[from] ?? 0
      this.#length = to
      return
    }
    this.#writeDecimal(value)
    this.#lastDecimal = value
    this.#lastStart = start
    this.#lastEnd = this.#length
  }

  #writeDecimal(value: number): void {
    const scaled = Math.round(Math.abs(value) * decimals)
    if (!(scaled < 1e9 * decimals)) {
      this.text(largeDecimal(value))
      return
    }
    if (value < 0 && scaled > 0) this.text('-')
    const whole = Math.floor(scaled / decimals)
    this.#digits(whole, digitCount(whole))
    this.#bytes[this.#length] = point
    this.#length += 1
    this.#digits(scaled - whole * decimals, 4)
  }

  /** Returns the bytes written; nothing can be written afterwards. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  #digits(value: number, count: number): void {
    const bytes = this.#bytes
    let rest = value | 0
    for (let at = this.#length + count - 1; at >= this.#length; at -= 1) {
      const next = (rest / 10) | 0
      bytes[at] = zero + rest - next * 10
      rest = next
    }
    this.#length += count
  }

  #reserve(count: number): void {
    if (this.#length + count > this.#bytes.length) this.#grow(count)
  }

  #grow(count: number): void {
    const larger = new Uint8Array(Math.max(this.#length + count, this.#bytes.length * 2))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

function digitCount(value: number): number {
  let count = 1
  for (let limit = 10; value >= limit; limit *= 10) count += 1
  return count
}

/** Beyond nine digits, where it need not be fast. */
function largeDecimal(value: number): string {
  if (!Number.isFinite(value)) return '0.0000'
  return Math.abs(value) < 1e21 ? value.toFixed(4) : `${BigInt(value)}.0000`
}
