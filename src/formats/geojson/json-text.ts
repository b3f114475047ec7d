import { isUtf8Range } from '../../core/text/utf8.ts'
import { RowError } from '../reject-writer.ts'
import type { JsonScanner } from './json-scanner.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const simpleEscapes: Record<number, number> = {
  34: 0x22,
  92: 0x5c,
  47: 0x2f,
  98: 0x08,
  102: 0x0c,
  110: 0x0a,
  114: 0x0d,
  116: 0x09,
}

function hexValue(bytes: Uint8Array, at: number): number {
  let value = 0
  for (let i = 0; i < 4; i += 1) {
    const byte = bytes[at + i] as number
    value = value * 16 + (byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57)
  }
  return value
}

/**
 * Returns the code point of the `\u` escape at `at` (including its second half), or -1 for half a surrogate
 * pair.
 */
function escapedCodePoint(bytes: Uint8Array, at: number): number {
  const first = hexValue(bytes, at + 2)
  if (first < 0xd800 || first > 0xdfff) return first
  if (first > 0xdbff || bytes[at + 6] !== 0x5c || bytes[at + 7] !== 0x75) return -1
  const second = hexValue(bytes, at + 8)
  return second < 0xdc00 || second > 0xdfff ? -1 : 0x10000 + (first - 0xd800) * 1024 + (second - 0xdc00)
}

function putCodePoint(target: Uint8Array, at: number, code: number): number {
  if (code < 0x80) {
    target[at] = code
    return at + 1
  }
  const length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  for (let i = length - 1, rest = code; i > 0; i -= 1, rest >>= 6) target[at + i] = 0x80 | (rest & 0x3f)
  target[at] = ((0xf00 >> length) & 0xff) | (code >> (6 * (length - 1)))
  return at + length
}

/** Throws for text that no store can represent: invalid UTF-8. */
export function checkText(scanner: JsonScanner): void {
  if (!scanner.isAscii && !isUtf8Range(scanner.bytes, scanner.tokenStart, scanner.tokenEnd)) {
    throw new RowError('Text is not valid UTF-8')
  }
}

/**
 * Writes the last string of the scanner, which has escapes, to `target` from `at` on and returns the end. The
 * result is never longer than the token.
 */
export function decodeToken(scanner: JsonScanner, target: Uint8Array, at: number): number {
  const { bytes, tokenEnd } = scanner
  let to = at
  for (let from = scanner.tokenStart; from < tokenEnd; ) {
    const byte = bytes[from] as number
    if (byte !== 0x5c) {
      target[to] = byte
      to += 1
      from += 1
    } else if (bytes[from + 1] !== 0x75) {
      target[to] = simpleEscapes[bytes[from + 1] as number] as number
      to += 1
      from += 2
    } else {
      const code = escapedCodePoint(bytes, from)
      if (code < 0) throw new RowError('Text has half of a surrogate pair')
      if (code === 0) throw new RowError('Text has a NUL character, which no store can keep')
      to = putCodePoint(target, to, code)
      from += code > 0xffff ? 12 : 6
    }
  }
  return to
}

/** Returns the last string of the scanner as a JavaScript string. */
export function tokenText(scanner: JsonScanner): string {
  checkText(scanner)
  const raw = scanner.bytes.subarray(scanner.tokenStart, scanner.tokenEnd)
  if (!scanner.hasEscapes) return decoder.decode(raw)
  const target = new Uint8Array(raw.length)
  return decoder.decode(target.subarray(0, decodeToken(scanner, target, 0)))
}
