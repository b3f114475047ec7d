import { extname } from 'node:path'
import type { DataFile } from '../format.ts'
import { declaredCharset, transcoderOf } from './charset.ts'
import { findDialect } from './delimiter.ts'

const headBytes = 1 << 16
const ownExtensions = new Set(['.csv', '.tsv'])
/** In a file that may be any text, so many of the sampled rows must have as many cells as the first. */
const leastAgreement = 0.9

/** Control characters that no text has. */
function hasBinary(text: Uint8Array): boolean {
  for (const byte of text) if (byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== 0x1a) return true
  return false
}

/**
 * Whether a file is delimited text. A name of its own is enough for any text; a `.txt` or `.tab` file (which MapInfo uses too) must have two columns at
 * least, and rows that agree.
 */
export function isCsv(file: DataFile, head: Uint8Array): boolean {
  const extension = extname(file.path).toLowerCase()
  const isOwn = ownExtensions.has(extension)
  if (!isOwn && extension !== '.txt' && extension !== '.tab') return false
  const transcode = transcoderOf(declaredCharset(head) ?? 'UTF-8')
  const text = transcode === undefined ? head : transcode(head, true)
  const start = text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? 3 : 0
  const sample = text.subarray(start)
  if (sample.length === 0 || hasBinary(sample)) return false
  const dialect = findDialect(sample, head.length < headBytes)
  if (dialect === undefined) return isOwn
  return isOwn || (dialect.columns > 1 && dialect.agreement >= leastAgreement)
}
