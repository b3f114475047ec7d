import { asciiText } from '../../core/values/decimal.ts'
import { declaredCharset, transcoderOf } from '../text/charset.ts'

/**
 * Returns the local name of the root element of an XML file that begins with `head`; undefined for other
 * files.
 */
export function findRootName(head: Uint8Array): string | undefined {
  const transcode = transcoderOf(declaredCharset(head) ?? 'UTF-8')
  const bytes = transcode === undefined ? head : transcode(head, true)
  const text = asciiText(bytes, 0, bytes.length)
  const name = /<(?:[^\s<>/:]{1,100}:)?([A-Za-z_][\w.-]{0,100})[\s>/]/y
  name.lastIndex = behindProlog(text)
  return name.exec(text)?.[1]
}

/** Returns the position after byte order mark, white space, declarations and comments. */
function behindProlog(text: string): number {
  let at = text.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0
  for (;;) {
    while (/\s/.test(text.charAt(at))) at += 1
    const close = text.startsWith('<?', at)
      ? '?>'
      : text.startsWith('<!--', at)
        ? '-->'
        : text.startsWith('<!DOCTYPE', at)
          ? '>'
          : ''
    if (close === '') return at
    at = close === '>' ? behindDocumentType(text, at) : behind(text, close, at)
  }
}

function behind(text: string, close: string, from: number): number {
  const found = text.indexOf(close, from)
  return found < 0 ? text.length : found + close.length
}

/** A document type may contain declarations in brackets. */
function behindDocumentType(text: string, from: number): number {
  const bracket = text.indexOf('[', from)
  const end = behind(text, '>', from)
  return bracket < 0 || bracket > end ? end : behind(text, '>', behind(text, ']', bracket))
}
