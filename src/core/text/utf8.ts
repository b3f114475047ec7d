import { isUtf8 } from 'node:buffer'
import { cutUtf8Bytes } from './text-encoding.ts'

/**
 * True if `bytes[start, end)` is well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates). Allocates
 * nothing, for the many short texts of a reader.
 */
export function isUtf8Range(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; ) {
    const lead = bytes[at] as number
    if (lead < 0x80) {
      at += 1
      continue
    }
    const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
    if (length === 0 || at + length > end || !isSequence(bytes, at, length)) return false
    at += length
  }
  return true
}

function isSequence(bytes: Uint8Array, at: number, length: number): boolean {
  const lead = bytes[at] as number
  const second = bytes[at + 1] as number
  if (lead === 0xe0 && second < 0xa0) return false
  if (lead === 0xed && second > 0x9f) return false
  if (lead === 0xf0 && second < 0x90) return false
  if (lead === 0xf4 && second > 0x8f) return false
  for (let i = 1; i < length; i += 1) if (((bytes[at + i] as number) & 0xc0) !== 0x80) return false
  return true
}

/** Checks piece by piece whether a text is UTF-8, including characters that span pieces. */
export class Utf8Check {
  #pending = new Uint8Array(0)

  /** Returns false once a piece is not UTF-8; `isLast` also refuses an incomplete character. */
  push(piece: Uint8Array, isLast: boolean): boolean {
    const bytes = this.#pending.length === 0 ? piece : Buffer.concat([this.#pending, piece])
    const cut = isLast ? bytes.length : bytes.length - cutUtf8Bytes(bytes, 0, bytes.length)
    this.#pending = Uint8Array.from(bytes.subarray(cut))
    return isUtf8(bytes.subarray(0, cut))
  }
}
