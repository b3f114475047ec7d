import { DumpError } from './dump-error.ts'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openers = new Set([0x7b, 0x5b])
const closers = new Set([0x7d, 0x5d])
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d])
const start = 0x5b
const end = 0x5d
const byteOrderMark = [0xef, 0xbb, 0xbf]

/**
 * Splits the text of one JSON array into its elements without parsing them: `push` takes bytes in pieces of
 * any size and returns the completed elements, `finish` throws if the array is incomplete. Buffers one
 * element at a time.
 */
export class ArrayElements {
  readonly #maxBytes: number
  #held: Buffer[] = []
  #heldBytes = 0
  #position = 0
  #depth = 0
  #isInText = false
  #isEscaped = false
  #state: 'before' | 'inside' | 'after' = 'before'
  #count = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  *push(chunk: Buffer): Generator<Buffer> {
    let from = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0
      if (this.#state !== 'inside') {
        this.#outside(byte, this.#position + at)
        from = at + 1
      } else if (this.#endsElement(byte)) {
        const element = this.#take(chunk.subarray(from, at))
        if (element !== undefined) yield element
        from = at + 1
      }
    }
    this.#position += chunk.length
    if (this.#state === 'inside' && from < chunk.length) this.#hold(chunk.subarray(from))
  }

  finish(): void {
    if (this.#state === 'before') throw new DumpError('The dump is empty: expected a JSON array')
    if (this.#state !== 'after') throw new DumpError(`The dump ends within ${this.#where()}`)
  }

  /** True if this byte is the comma or bracket after an element of the array. */
  #endsElement(byte: number): boolean {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === backslash) this.#isEscaped = true
      else if (byte === quote) this.#isInText = false
      return false
    }
    if (byte === quote) this.#isInText = true
    else if (openers.has(byte)) this.#depth += 1
    else if (byte === end && this.#depth === 0) this.#state = 'after'
    else if (closers.has(byte)) this.#depth -= 1
    return this.#state === 'after' || (byte === comma && this.#depth === 0)
  }

  #outside(byte: number, position: number): void {
    if (blanks.has(byte) || (this.#state === 'before' && byte === byteOrderMark[position])) return
    if (this.#state === 'before' && byte === start) {
      this.#state = 'inside'
      return
    }
    const what = `byte ${position} is ${JSON.stringify(String.fromCharCode(byte))}`
    if (this.#state === 'before') throw new DumpError(`The dump is not a JSON array: ${what}`)
    throw new DumpError(`The dump has text after the end of its array: ${what}`)
  }

  #hold(piece: Buffer): void {
    this.#heldBytes += piece.length
    if (this.#heldBytes > this.#maxBytes)
      throw new DumpError(`There is more than ${this.#maxBytes} bytes of ${this.#where()}`)
    this.#held.push(Buffer.from(piece))
  }

  /** Returns the completed element; undefined at the end of an empty array. */
  #take(piece: Buffer): Buffer | undefined {
    this.#hold(piece)
    const element = Buffer.concat(this.#held)
    this.#held = []
    this.#heldBytes = 0
    const isEmpty = element.every((byte) => blanks.has(byte))
    if (isEmpty && this.#state === 'after' && this.#count === 0) return undefined
    if (isEmpty) throw new DumpError(`${this.#where()} is missing`)
    this.#count += 1
    return element
  }

  #where(): string {
    return `element ${this.#count + 1} of the dump`
  }
}
