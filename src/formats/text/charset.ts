import type { Transcoder } from '../../core/files/byte-reader.ts'
import { openGuarded } from '../../core/files/guarded-files.ts'
import type { TextEncoding } from '../../core/text/text-encoding.ts'
import { findTextEncoding } from '../../core/text/text-encoding.ts'
import { Utf8Check } from '../../core/text/utf8.ts'
import type { FormatMessage, ReadContext } from '../format.ts'
import { FormatError } from '../format.ts'

/**
 * Replaces a byte that is invalid in the encoding of the file: never part of UTF-8, so the row is rejected.
 */
const noText = 0xff
const headBytes = 4096

export interface Charset {
  name: string
  message?: FormatMessage
}

/**
 * Returns the encoding declared by the first bytes: a byte order mark (Unicode 23.8), or the NUL bytes of
 * UTF-16.
 */
export function declaredCharset(head: Uint8Array): string | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'UTF-8'
  if (head[0] === 0xff && head[1] === 0xfe) return 'UTF-16LE'
  if (head[0] === 0xfe && head[1] === 0xff) return 'UTF-16BE'
  let even = 0
  let odd = 0
  const count = Math.min(head.length, headBytes)
  for (let at = 0; at < count; at += 1) {
    if (head[at] !== 0) continue
    if ((at & 1) === 0) even += 1
    else odd += 1
  }
  if (odd > count / 4 && even === 0) return 'UTF-16LE'
  return even > count / 4 && odd === 0 ? 'UTF-16BE' : undefined
}

/**
 * Returns the encoding of a file: as requested, as declared, UTF-8 if every byte is valid, otherwise
 * Windows-1252.
 */
export async function findCharset(path: string, context: ReadContext): Promise<Charset> {
  if (context.charset !== undefined) {
    const encoding = findTextEncoding(context.charset)
    if (encoding !== undefined) return { name: encoding.name }
    throw new FormatError(`The text encoding "${context.charset}" is not known`, { code: 'unknown-charset' })
  }
  const handle = await openGuarded(path)
  try {
    const bytes = Buffer.alloc(1 << 20)
    const check = new Utf8Check()
    for (let position = 0; ; ) {
      context.signal.throwIfAborted()
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, position)
      const piece = bytes.subarray(0, bytesRead)
      const declared = position === 0 ? declaredCharset(piece) : undefined
      if (declared !== undefined) return { name: declared }
      if (!check.push(piece, bytesRead === 0)) return guessedCharset
      if (bytesRead === 0) return { name: 'UTF-8' }
      position += bytesRead
    }
  } finally {
    await handle.close()
  }
}

const guessedCharset: Charset = {
  name: 'windows-1252',
  message: {
    level: 'warning',
    code: 'guessed-charset',
    message: 'The text is not UTF-8: it was read as Windows-1252. Set the charset if it is another',
  },
}

/** Returns a transcoder to UTF-8; undefined for UTF-8 itself. */
export function transcoderOf(name: string): Transcoder | undefined {
  const encoding = findTextEncoding(name)
  if (encoding === undefined || encoding.name === 'UTF-8') return undefined
  return encoding.isMultiByte ? multiByteTranscoder(encoding) : singleByteTranscoder(encoding)
}

function multiByteTranscoder(encoding: TextEncoding): Transcoder {
  const decode = encoding.createStreamDecoder()
  return (piece, isLast) => {
    const text = Buffer.from(decode(piece, isLast))
    for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at))
      text.fill(noText, at, at + 3)
    return text
  }
}

function singleByteTranscoder(encoding: TextEncoding): Transcoder {
  return (piece) => {
    const target = new Uint8Array(piece.length * 3)
    const length = encoding.transcode(piece, 0, piece.length, target, 0)
    if (length >= 0) return target.subarray(0, length)
    let to = 0
    for (let at = 0; at < piece.length; at += 1) {
      const count = encoding.transcode(piece, at, at + 1, target, to)
      if (count < 0) target[to] = noText
      to += Math.max(1, count)
    }
    return target.subarray(0, to)
  }
}
