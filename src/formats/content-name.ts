import { JsonScanner, JsonSyntaxError, outOfJsonBytes } from './geojson/json-scanner.ts'
import { declaredCharset, transcoderOf } from './text/charset.ts'
import { findRootName } from './xml/root-name.ts'

/** Initial bytes of files that are often mistaken for data, or that have the extension of another format. */
const marks: readonly (readonly [string, string])[] = [
  ['PK\u0003\u0004', 'a zip archive'],
  ['PK\u0005\u0006', 'an empty zip archive'],
  ['\u001f\u008b', 'gzip data'],
  ['\u00fd7zXZ\u0000', 'xz data'],
  ['7z\u00bc\u00af\u0027\u001c', 'a 7z archive'],
  ['Rar!\u001a\u0007', 'a RAR archive'],
  ['%PDF-', 'a PDF document'],
  ['%!PS', 'a PostScript document'],
  ['{\\rtf', 'an RTF document'],
  ['SQLite format 3\u0000', 'an SQLite database'],
  ['version https://git-lfs.github.com/', 'a pointer of Git LFS, not the file itself'],
]
/** Result of `foreignContent` for a web page. */
export const htmlPage = 'an HTML page'
const pages = new Set(['html', 'head', 'body', 'title'])
const openBrace = 0x7b
const openBracket = 0x5b

/** Returns the start of a file in UTF-8, without byte order mark. */
export function headAsUtf8(head: Uint8Array): Uint8Array {
  const transcode = transcoderOf(declaredCharset(head) ?? 'UTF-8')
  const text = transcode === undefined ? head : transcode(head, true)
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? text.subarray(3) : text
}

/** Control characters that text never contains. */
function isBinary(text: Uint8Array): boolean {
  for (const byte of text) if (byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== 0x1a) return true
  return false
}

/** True if a text (UTF-8) begins with an XML or HTML element. `<id>,<name>` are table headers. */
function isMarkup(text: Uint8Array): boolean {
  const start = Buffer.from(text.subarray(0, 4096)).toString('latin1').trimStart()
  return /^<(\?xml|!doctype|!--)/i.test(start) || /^<[a-z_][\w:.-]*(\s[^<>]*)?\/?>(?![,;\t|"])/i.test(start)
}

/** True if a text (UTF-8) is one or more JSON objects or arrays, as far as it is available. */
function isJson(text: Uint8Array): boolean {
  const scanner = new JsonScanner()
  scanner.bytes = new Uint8Array(text.length + 16)
  scanner.bytes.set(text)
  scanner.end = text.length
  try {
    const first = scanner.space()
    if (first !== openBrace && first !== openBracket) return false
    scanner.value()
    const behind = scanner.space()
    return scanner.at >= scanner.end || behind === openBrace || behind === openBracket
  } catch (error) {
    if (error === outOfJsonBytes) return true
    if (error instanceof JsonSyntaxError) return false
    throw error
  }
}

/** Returns the name of the content type if the file begins like something other than delimited text. */
export function foreignContent(head: Uint8Array): string | undefined {
  const start = Buffer.from(head.subarray(0, 64)).toString('latin1')
  const mark = marks.find(([bytes]) => start.startsWith(bytes))
  if (mark !== undefined) return mark[1]
  if (/^BZh[1-9]1AY&SY/.test(start)) return 'bzip2 data'
  const text = headAsUtf8(head)
  if (isBinary(text)) return 'binary data'
  if (isMarkup(text)) return markupName(head, text)
  return isJson(text) ? jsonName(head) : undefined
}

function markupName(head: Uint8Array, text: Uint8Array): string {
  const root = findRootName(head)
  const isPage =
    /^\s*<!doctype html/i.test(Buffer.from(text.subarray(0, 256)).toString('latin1')) ||
    pages.has(root?.toLowerCase() ?? '')
  if (isPage) return htmlPage
  return root === undefined ? 'XML' : `XML of another kind, <${root}>`
}

function jsonName(head: Uint8Array): string {
  const charset = declaredCharset(head) ?? 'UTF-8'
  return charset === 'UTF-8' ? 'JSON that is not GeoJSON' : `JSON in ${charset}, which must be UTF-8`
}
