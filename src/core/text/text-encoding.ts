import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { findEncodingName } from './encoding-names.ts'

/** Decodes bytes of one encoding. */
export interface TextEncoding {
  /** The usual name, such as `UTF-8`, `windows-1252` or `CP850`. */
  readonly name: string
  /** True if a character may take several bytes. */
  readonly isMultiByte: boolean
  /** Decodes `bytes[start, end)`; invalid bytes become U+FFFD. */
  decode(bytes: Uint8Array, start?: number, end?: number): string
  /**
   * Writes `bytes[start, end)` as UTF-8 into `target` at `at`, which must have space for three times as many
   * bytes, and returns the number of bytes written; -1 if the bytes are invalid in this encoding.
   */
  transcode(bytes: Uint8Array, start: number, end: number, target: Uint8Array, at: number): number
  /** Creates a decoder for a text that comes in pieces. Undefined bytes become U+FFFD. */
  createStreamDecoder(): StreamDecoder
}

/** Decodes the next piece; a character may span pieces. */
type StreamDecoder = (piece: Uint8Array, isLast: boolean) => string

/**
 * Returns the encoding with this name in any spelling (see `findEncodingName`); undefined for an unknown
 * name.
 */
export function findTextEncoding(name: string): TextEncoding | undefined {
  const known = findEncodingName(name)
  return known === undefined ? undefined : encodingNamed(known)
}

/** Like `findTextEncoding`; throws for an unknown name. */
export function getTextEncoding(name: string): TextEncoding {
  const encoding = findTextEncoding(name)
  if (encoding === undefined) throw new Error(`Unknown text encoding "${name}"`)
  return encoding
}

const cache = new Map<string, TextEncoding>()

function encodingNamed(name: string): TextEncoding {
  const cached = cache.get(name)
  if (cached !== undefined) return cached
  const made = multiByteNames.has(name) ? multiByteEncoding(name) : singleByteEncoding(name)
  cache.set(name, made)
  return made
}

/** True if `bytes[start, end)` is well-formed UTF-8 (Unicode 15, table 3-7). */
export function isValidUtf8(bytes: Uint8Array, start = 0, end = bytes.length): boolean {
  return isUtf8(bytes.subarray(start, end))
}

/**
 * Returns the number of bytes at the end of `bytes[start, end)` that are an incomplete UTF-8 character; 0 if
 * none are.
 */
export function cutUtf8Bytes(bytes: Uint8Array, start: number, end: number): number {
  let at = end - 1
  while (at > start && at > end - 3 && ((bytes[at] as number) & 0xc0) === 0x80) at -= 1
  if (at < start) return 0
  const lead = bytes[at] as number
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1
  return end - at < length ? end - at : 0
}

const multiByteNames = new Set([
  'UTF-8',
  'UTF-16LE',
  'UTF-16BE',
  'GBK',
  'GB18030',
  'Big5',
  'Big5-HKSCS',
  'Shift_JIS',
  'EUC-JP',
  'EUC-KR',
])

/**
 * Encodings decoded by iconv-lite, by its name for them. ICU's EUC-KR lacks the extended syllables of code page 949 (UHC), its
 * Big5 lacks the characters of Hong Kong, and its EUC-JP has characters of IBM where others have none.
 */
const iconvNames = new Map([
  ['EUC-KR', 'cp949'],
  ['Big5-HKSCS', 'big5-hkscs'],
  ['EUC-JP', 'eucjp'],
])

/** ICU returns C1 control characters for bytes that Big5 does not define, and U+F8F8 for the byte FF. */
function replaceUndefined(text: string): string {
  return text.replace(/[\u0080-\u009f\uf8f8]/g, '\ufffd')
}

/** ICU has private use characters for six characters of GB 18030 that Unicode has had since version 3.1. */
const ideographs = new Map([
  ['\ue816', '\u{20087}'],
  ['\ue817', '\u{20089}'],
  ['\ue818', '\u{200cc}'],
  ['\ue831', '\u{215d7}'],
  ['\ue83b', '\u{2298f}'],
  ['\ue855', '\u{241fe}'],
])

function replaceIdeographs(text: string): string {
  return text.replace(/[\ue816-\ue818\ue831\ue83b\ue855]/g, (character) => ideographs.get(character) ?? '')
}

/** ICU exchanges three control characters of Shift_JIS, as IBM's code page 943 does. */
const exchangedControls = new Map([
  ['\x1a', '\x7f'],
  ['\x1c', '\x1a'],
  ['\x7f', '\x1c'],
])

const icuCorrections = new Map<string, (text: string) => string>([
  ['Big5', replaceUndefined],
  ['GBK', replaceIdeographs],
  ['GB18030', replaceIdeographs],
  ['Shift_JIS', (text) => text.replace(/\p{Cc}/gu, (control) => exchangedControls.get(control) ?? control)],
])

const encoder = new TextEncoder()

interface Decoders {
  /** Replaces undefined bytes with U+FFFD. */
  lenient(bytes: Uint8Array): string
  /** Returns undefined, or throws, if a byte sequence is undefined. */
  strict(bytes: Uint8Array): string | undefined
  stream(): StreamDecoder
}

function iconvDecoders(name: string): Decoders {
  const lenient = (bytes: Uint8Array): string => iconv.decode(asBuffer(bytes), name)
  return {
    lenient,
    strict: (bytes) => {
      const text = lenient(bytes)
      return text.includes('\ufffd') ? undefined : text
    },
    stream: () => {
      const decoder = iconv.getDecoder(name)
      return (piece, isLast) => decoder.write(asBuffer(piece)) + (isLast ? (decoder.end() ?? '') : '')
    },
  }
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

function icuDecoders(name: string): Decoders {
  const strict = new TextDecoder(name, { fatal: true, ignoreBOM: true })
  const lenient = new TextDecoder(name, { ignoreBOM: true })
  const correct = icuCorrections.get(name) ?? ((text: string): string => text)
  return {
    lenient: (bytes) => correct(lenient.decode(bytes)),
    strict: (bytes) => {
      const text = correct(strict.decode(bytes))
      return text.includes('\ufffd') && name !== 'UTF-8' && !name.startsWith('UTF-16') ? undefined : text
    },
    stream: () => {
      const decoder = new TextDecoder(name, { ignoreBOM: true })
      return (piece, isLast) => correct(decoder.decode(piece, { stream: !isLast }))
    },
  }
}

function multiByteEncoding(name: string): TextEncoding {
  const iconvName = iconvNames.get(name)
  const { lenient, strict, stream } = iconvName === undefined ? icuDecoders(name) : iconvDecoders(iconvName)
  return {
    name,
    isMultiByte: true,
    decode: (bytes, start = 0, end = bytes.length) => lenient(bytes.subarray(start, end)),
    createStreamDecoder: stream,
    transcode: (bytes, start, end, target, at) => {
      const source = bytes.subarray(start, end)
      if (name === 'UTF-8') {
        if (!isUtf8(source)) return -1
        target.set(source, at)
        return source.length
      }
      try {
        const text = strict(source)
        return text === undefined ? -1 : encoder.encodeInto(text, target.subarray(at)).written
      } catch {
        return -1
      }
    },
  }
}

/**
 * Returns the UTF-8 bytes of each character in groups of four: a length, then up to three bytes; length 0
 * means no character.
 */
function utf8Table(characters: string): Uint8Array {
  const table = new Uint8Array(1024)
  for (let byte = 0; byte < 256; byte += 1) {
    const character = characters.charAt(byte)
    if (character === '\ufffd') continue
    table[byte * 4] = encoder.encodeInto(character, table.subarray(byte * 4 + 1, byte * 4 + 4)).written
  }
  return table
}

/**
 * Undefined positions of the Windows code pages between 128 and 159 are control characters, as in browsers.
 */
function charactersOf(name: string): string {
  const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  // iconv-lite lacks the euro sign of Mac OS 8.5 and the Ukrainian letters of Mac OS 9 in these two
  // encodings.
  if (name === 'macintosh' || name === 'x-mac-cyrillic') return new TextDecoder(name).decode(every)
  const codePage = name === 'x-mac-ce' ? 'maccenteuro' : name.replace('x-mac-', 'mac')
  const characters = iconv.decode(Buffer.from(every), codePage)
  if (name === 'x-mac-greek') return withLaterGreek(characters)
  if (!name.startsWith('windows-')) return characters
  return Array.from(characters, (character, byte) =>
    character === '\ufffd' && byte >= 0x80 && byte < 0xa0 ? String.fromCharCode(byte) : character,
  ).join('')
}

/** Adds the euro sign of Mac OS 9.2.2, which iconv-lite lacks in the Greek encoding. */
function withLaterGreek(characters: string): string {
  const later: Record<number, string> = { 156: '\u20ac', 175: '\u00b7', 255: '\u00ad' }
  return Array.from(characters, (character, byte) => later[byte] ?? character).join('')
}

function singleByteEncoding(name: string): TextEncoding {
  const characters = charactersOf(name)
  const table = utf8Table(characters)
  // Code page 864 has the Arabic percent sign in place of that of ASCII.
  const isAscii =
    Array.from({ length: 0x80 }, (_, byte) => String.fromCharCode(byte)).join('') ===
    characters.slice(0, 0x80)
  const decode = (bytes: Uint8Array, start = 0, end = bytes.length): string => {
    let text = ''
    for (let at = start; at < end; at += 1) text += characters.charAt(bytes[at] as number)
    return text
  }
  return {
    name,
    isMultiByte: false,
    decode,
    createStreamDecoder: () => (piece) => decode(piece),
    transcode: (bytes, start, end, target, at) => {
      let to = at
      for (let from = start; from < end; from += 1) {
        const byte = bytes[from] as number
        if (isAscii && byte < 0x80) {
          target[to] = byte
          to += 1
          continue
        }
        const entry = byte * 4
        const length = table[entry] as number
        if (length === 0) return -1
        target[to] = table[entry + 1] as number
        if (length > 1) target[to + 1] = table[entry + 2] as number
        if (length > 2) target[to + 2] = table[entry + 3] as number
        to += length
      }
      return to - at
    },
  }
}
