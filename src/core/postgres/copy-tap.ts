import type { Duplex } from 'node:stream'

const headerBytes = 5
/** The type of a message with rows of a COPY (PostgreSQL, "Message Formats"). */
const copyData = 0x64

/** Receives bytes of COPY rows as they arrived from the server. */
type TakeRows = (chunk: Buffer, start: number, end: number) => void

const taps = new WeakMap<Duplex, CopyTap>()

/** Returns the tap of a server connection, if it has one. */
export function tapOn(stream: Duplex): CopyTap | undefined {
  return taps.get(stream)
}

/**
 * Splits the data from a server: COPY rows go to one consumer, everything else to the other listeners. A
 * million rows are a million messages, each of which costs more as an object than its contents.
 */
export class CopyTap {
  readonly #isBetween: () => boolean
  readonly #pass: (chunk: Buffer) => void
  #take: TakeRows | undefined
  /** Number of missing bytes of the current message. */
  #left = 0
  #isRows = false
  /** Start of a message whose header is incomplete. */
  #begun: Buffer = Buffer.alloc(0)

  /** `isBetween` returns true if all received bytes end with a complete message. */
  constructor(stream: Duplex, isBetween: () => boolean, pass: (chunk: Buffer) => void) {
    this.#isBetween = isBetween
    this.#pass = pass
    taps.set(stream, this)
  }

  /** Passes rows to `take` until `close`; returns false if that cannot start at present. */
  open(take: TakeRows): boolean {
    if (this.#take !== undefined || !this.#isBetween()) return false
    this.#take = take
    return true
  }

  close(): void {
    this.#take = undefined
  }

  /** Processes the next bytes. */
  give(chunk: Buffer): void {
    const bytes = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk])
    this.#begun = Buffer.alloc(0)
    for (let at = 0; at < bytes.length; ) {
      if (this.#take === undefined && this.#left === 0) {
        this.#pass(at === 0 ? bytes : bytes.subarray(at))
        return
      }
      at = this.#left > 0 ? this.#goOn(bytes, at) : this.#begin(bytes, at)
    }
  }

  #begin(bytes: Buffer, at: number): number {
    if (bytes.length - at < headerBytes) {
      this.#begun = bytes.subarray(at)
      return bytes.length
    }
    this.#isRows = bytes[at] === copyData
    const length = bytes.readUInt32BE(at + 1)
    if (this.#isRows) {
      this.#left = length - 4
      return this.#left === 0 ? at + headerBytes : this.#goOn(bytes, at + headerBytes)
    }
    this.#left = length + 1
    return this.#goOn(bytes, at)
  }

  #goOn(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left)
    this.#left -= end - at
    if (!this.#isRows) this.#pass(bytes.subarray(at, end))
    else this.#take?.(bytes, at, end)
    return end
  }
}
