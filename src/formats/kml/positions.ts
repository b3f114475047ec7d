import type { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { RowError } from '../reject-writer.ts'
import { DecimalReader } from '../xml/decimal-reader.ts'
import type { TextToken } from '../xml/xml-scanner.ts'

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}

/**
 * Parses the text of `coordinates` (OGC 12-007r2, section 10.6: `lon,lat[,alt]`, blanks between positions,
 * blanks next to commas also accepted) and of `gx:coord` (`lon lat alt`).
 */
export class PositionReader {
  /** True after a position had an altitude. */
  hasZ = false
  x = 0
  y = 0
  z = 0
  readonly #decimals = new DecimalReader()

  /** Appends every position of the text; returns their number. `from` is the start offset in the text. */
  readAll(
    text: TextToken,
    builder: GeometryBuilder,
    writesZ: boolean,
    first: (reader: this) => void,
  ): number {
    const { textBytes, textEnd } = text
    let at = text.textStart
    let count = 0
    while (at < textEnd) {
      at = this.#position(text, textBytes, at, textEnd)
      builder.coordinate(this.x, this.y)
      if (writesZ) builder.ordinate(this.z)
      if (count === 0) first(this)
      count += 1
      while (at < textEnd && isSpace(textBytes[at] as number)) at += 1
    }
    return count
  }

  /** Reads `lon lat [alt]`; returns false for an empty text, which is a missing measurement. */
  readCoord(text: TextToken): boolean {
    const { textBytes, textStart, textEnd } = text
    if (textStart === textEnd) return false
    let at = textStart
    let count = 0
    for (; count < 3 && at < textEnd; count += 1) {
      const value = this.#number(text, textBytes, at)
      if (count === 0) this.x = value
      else if (count === 1) this.y = value
      else this.z = value
      at = this.#decimals.end
      while (at < textEnd && isSpace(textBytes[at] as number)) at += 1
    }
    if (count < 2 || at < textEnd) this.#refuse(text, textStart, 'A position has not two or three numbers')
    if (count === 3) this.hasZ = true
    else this.z = 0
    return true
  }

  #position(text: TextToken, bytes: Uint8Array, start: number, end: number): number {
    this.x = this.#number(text, bytes, start)
    let at = this.#comma(bytes, this.#decimals.end, end)
    if (at < 0) this.#refuse(text, start, 'A position has fewer than two numbers')
    this.y = this.#number(text, bytes, at)
    this.z = 0
    at = this.#comma(bytes, this.#decimals.end, end)
    if (at < 0) return this.#ending(text, bytes, start, end)
    this.z = this.#number(text, bytes, at)
    this.hasZ = true
    if (this.#comma(bytes, this.#decimals.end, end) >= 0) {
      this.#refuse(text, start, 'A position has more than three numbers')
    }
    return this.#ending(text, bytes, start, end)
  }

  /** A blank or the end must follow a position. */
  #ending(text: TextToken, bytes: Uint8Array, start: number, end: number): number {
    const at = this.#decimals.end
    if (at < end && !isSpace(bytes[at] as number)) {
      this.#refuse(text, start, 'A position holds something else than numbers')
    }
    return at
  }

  /** Returns the position after a comma and the surrounding blanks; -1 if no comma follows. */
  #comma(bytes: Uint8Array, start: number, end: number): number {
    let at = start
    while (at < end && isSpace(bytes[at] as number)) at += 1
    if (at >= end || bytes[at] !== 0x2c) return -1
    at += 1
    while (at < end && isSpace(bytes[at] as number)) at += 1
    return at
  }

  #number(text: TextToken, bytes: Uint8Array, at: number): number {
    const value = this.#decimals.read(bytes, at)
    if (Number.isFinite(value) && this.#decimals.end <= text.textEnd) return value
    this.#refuse(text, at, 'A position holds something else than numbers')
  }

  #refuse({ textBytes, textEnd }: TextToken, at: number, reason: string): never {
    const value = Buffer.from(textBytes.subarray(at, Math.min(textEnd, at + 200))).toString('utf8')
    throw new RowError(reason, { field: 'geometry', value })
  }
}
