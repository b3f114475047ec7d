import { asciiText } from '../../core/values/decimal.ts'
import { RowError } from '../reject-writer.ts'
import type { ScratchText } from './scratch-text.ts'
import { outOfXmlBytes } from './xml-error.ts'

const longestReference = 12
const named = new Map([
  ['amp', 0x26],
  ['lt', 0x3c],
  ['gt', 0x3e],
  ['quot', 0x22],
  ['apos', 0x27],
])

/**
 * Appends the character of the reference at `at` (XML 1.0, sections 4.1 and 4.6) and returns the position
 * after it. Only the five predefined entities are known: nothing is expanded.
 */
export function readReference(bytes: Uint8Array, at: number, end: number, target: ScratchText): number {
  const last = at + longestReference
  let to = at + 1
  while (to < last && isNameByte(bytes[to] as number)) to += 1
  if (to >= end) throw outOfXmlBytes
  const name = asciiText(bytes, at + 1, to)
  if (bytes[to] !== 0x3b)
    throw new RowError('"&" stands in a text without an entity behind it: write "&amp;"')
  target.appendCodePoint(codePointOf(name))
  return to + 1
}

/** True for anything but white space, `;`, `<` and `&`. */
function isNameByte(byte: number): boolean {
  return byte > 0x20 && byte !== 0x3b && byte !== 0x3c && byte !== 0x26
}

function codePointOf(name: string): number {
  const code = name.startsWith('#') ? numberOf(name) : named.get(name)
  if (code === undefined) throw new RowError(`The entity "&${name};" is not known`)
  const isCharacter =
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code < 0xd800) ||
    (code > 0xdfff && code < 0xfffe)
  if (!isCharacter && !(code > 0xffff && code <= 0x10ffff)) {
    throw new RowError(`"&${name};" stands for no character`)
  }
  return code
}

function numberOf(name: string): number | undefined {
  if (/^#\d+$/.test(name)) return Number(name.slice(1))
  return /^#x[\da-f]+$/i.test(name) ? Number.parseInt(name.slice(2), 16) : undefined
}
