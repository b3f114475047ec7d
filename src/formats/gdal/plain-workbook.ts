import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { finished, pipeline } from 'node:stream/promises'
import type { Entry, ZipFile as ZipReader } from 'yauzl'
import { openPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import { BoundedCache } from '../../core/caches/bounded-cache.ts'
import { copyGuarded, openGuarded } from '../../core/files/guarded-files.ts'
import { FormatError } from '../format.ts'

const maxEntries = 10_000
const maxBytes = 4 * 1024 ** 3
/** Maximum size of a part that is loaded whole, and of one row, cell or shared string. */
const maxHeld = 64 << 20

/** Days between the 1900 and 1904 epochs (ISO/IEC 29500-1, section 18.17.4.1). */
const daysTo1904 = 1462
/** Built-in number formats of dates, and the one of dates with a time (section 18.8.30). */
const dateFormats = new Set([14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58])
const dateFormat = 14
const dateTimeFormat = 22
const firstOwnFormat = 164

const sheet = /^xl\/worksheets\/[^/]+\.xml$/i
const strings = /^xl\/sharedStrings\.xml$/i
const styles = /^xl\/styles\.xml$/i
const workbookPart = /^xl\/workbook\.xml$/i

/** Caches states of workbooks that GDAL reads correctly, so that they are not scanned again. */
const readable = new BoundedCache<string, true>(500)

async function fileState(path: string): Promise<string> {
  const handle = await openGuarded(path)
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } finally {
    await handle.close()
  }
}

/**
 * Copies a workbook with cells that GDAL would misread to `folder` under `name`; returns false if GDAL can
 * read the original. GDAL counts days from 1900 in workbooks that count them from 1904, and adds phonetic
 * text to the text of its cell.
 */
export async function copyPlainWorkbook(
  path: string,
  folder: string,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const state = await fileState(path)
  if (readable.has(state)) return false
  const original = join(folder, `original-${name}`)
  await copyGuarded(path, original)
  // For an invalid archive GDAL reports the error.
  const zip = await openPromise(original, { lazyEntries: true, autoClose: false }).catch(() => undefined)
  if (zip === undefined) return false
  try {
    const parts = await listParts(zip)
    const counts1904 = await countsFrom1904(zip, parts)
    if (!counts1904 && !(await hasPhoneticText(zip, parts, signal))) {
      // A file that was written to meanwhile has another state.
      if ((await fileState(path)) === state) readable.get(state, () => true)
      return false
    }
    await writePlain(zip, parts, { target: join(folder, name), counts1904, signal })
    return true
  } finally {
    zip.close()
    await rm(original, { force: true })
  }
}

async function listParts(zip: ZipReader): Promise<Entry[]> {
  const parts: Entry[] = []
  let bytes = 0
  for await (const entry of zip.eachEntry()) {
    bytes += entry.uncompressedSize
    if (parts.length >= maxEntries || bytes > maxBytes) throw tooLarge('4 GiB, or 10,000 parts')
    parts.push(entry)
  }
  return parts
}

const tooLarge = (limit: string): FormatError =>
  new FormatError(`The workbook is too large: its limit is ${limit}`, { code: 'too-large' })

async function readWhole(zip: ZipReader, part: Entry | undefined): Promise<string> {
  if (part === undefined) return ''
  if (part.uncompressedSize > maxHeld) throw tooLarge('64 MiB for its styles')
  return text(await zip.openReadStreamPromise(part))
}

const findPart = (parts: readonly Entry[], path: RegExp): Entry | undefined =>
  parts.find(({ fileName }) => path.test(fileName))

async function countsFrom1904(zip: ZipReader, parts: readonly Entry[]): Promise<boolean> {
  const workbook = await readWhole(zip, findPart(parts, workbookPart))
  return /<(?:\w+:)?workbookPr\b[^>]*\bdate1904\s*=\s*["'](?:1|true|on)["']/.test(workbook)
}

async function hasPhoneticText(
  zip: ZipReader,
  parts: readonly Entry[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const part of parts.filter(({ fileName }) => strings.test(fileName) || sheet.test(fileName))) {
    let rest = ''
    for await (const chunk of await zip.openReadStreamPromise(part)) {
      signal.throwIfAborted()
      const found = rest + (chunk as Buffer).toString('latin1')
      if (/<(?:\w+:)?rPh\b/.test(found)) return true
      rest = found.slice(-64)
    }
  }
  return false
}

interface Rewriting {
  target: string
  counts1904: boolean
  signal: AbortSignal
}

async function writePlain(
  zip: ZipReader,
  parts: readonly Entry[],
  { target, counts1904, signal }: Rewriting,
): Promise<void> {
  const known = counts1904 ? readStyles(await readWhole(zip, findPart(parts, styles))) : undefined
  const output = new ZipFile()
  const writing = pipeline(output.outputStream, createWriteStream(target, { mode: 0o600 }), { signal })
  // Callers that wait for it get the error.
  writing.catch(() => undefined)
  for (const part of parts.filter(({ fileName }) => !fileName.endsWith('/'))) {
    const whole = known !== undefined && rewrittenWhole(part.fileName)
    if (whole) {
      const rewritten = workbookPart.test(part.fileName)
        ? (await readWhole(zip, part)).replace(/\bdate1904\s*=\s*["']\w+["']/, '')
        : known.rewritten
      output.addBuffer(Buffer.from(rewritten), part.fileName)
      continue
    }
    const stream = await zip.openReadStreamPromise(part)
    const rewritten = strings.test(part.fileName)
      ? Readable.from(rewriteBehind(stream, /<\/(?:\w+:)?si\s*>/g, withoutPhonetic))
      : sheet.test(part.fileName)
        ? Readable.from(rewriteBehind(stream, /<\/(?:\w+:)?row\s*>/g, (rows) => plainRows(rows, known)))
        : stream
    output.addReadStream(rewritten, part.fileName)
    await Promise.race([finished(rewritten, { signal, cleanup: true }), writing])
  }
  output.end()
  await writing
}

const rewrittenWhole = (name: string): boolean => workbookPart.test(name) || styles.test(name)

/** Passes a text to `rewrite` in pieces that end after a closing tag. */
async function* rewriteBehind(
  stream: AsyncIterable<unknown>,
  closing: RegExp,
  rewrite: (piece: string) => string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of stream) {
    held += decoder.decode(chunk as Buffer, { stream: true })
    const end = [...held.matchAll(closing)].at(-1)
    if (end !== undefined) {
      const at = end.index + end[0].length
      yield rewrite(held.slice(0, at))
      held = held.slice(at)
    } else if (held.length > maxHeld) throw tooLarge('64 MiB for one row or text')
  }
  yield rewrite(held + decoder.decode())
}

const withoutPhonetic = (piece: string): string =>
  piece.replace(/<((?:\w+:)?)rPh\b[^>]*?(?:\/>|>[\s\S]*?<\/\1rPh\s*>)/g, '')

/** Returns rows with days counted from 1900 and without phonetic text. */
function plainRows(rows: string, known: Styles | undefined): string {
  const plain = withoutPhonetic(rows)
  if (known === undefined) return plain
  return plain.replace(
    /(<((?:\w+:)?)c\b([^>]*?)(?<!\/)>(?:(?!<\/\2c\b)[\s\S])*?<\2v>)\s*([-+\d.eE]+)\s*(<\/\2v>)/g,
    (cell: string, before: string, _prefix: string, attributes: string, value: string, after: string) => {
      const type = attributeOf(attributes, 't') ?? 'n'
      const isDate = type === 'n' && known.isDate(Number(attributeOf(attributes, 's') ?? 0))
      return isDate ? `${before}${shifted(value)}${after}` : cell
    },
  )
}

/** Returns the number with other days; the digits of its fraction are unchanged. */
function shifted(value: string): string {
  const plain = /^(\d+)((?:\.\d+)?)$/.exec(value)
  if (plain === null) return String(Number(value) + daysTo1904)
  return `${BigInt(plain[1] ?? 0) + BigInt(daysTo1904)}${plain[2]}`
}

const attributeOf = (attributes: string, name: string): string | undefined =>
  new RegExp(`(?:^|\\s)${name}\\s*=\\s*["']([^"']*)["']`).exec(attributes)?.[1]

interface Styles {
  /** True if a cell of this style contains a date. */
  isDate(style: number): boolean
  /** The part with a number format for each date that GDAL recognizes as a date. */
  rewritten: string
}

function readStyles(xml: string): Styles {
  const codes = new Map(
    [...xml.matchAll(/<(?:\w+:)?numFmt\b([^>]*)>/g)].map(([, attributes = '']) => [
      Number(attributeOf(attributes, 'numFmtId')),
      attributeOf(attributes, 'formatCode') ?? '',
    ]),
  )
  const isDate: boolean[] = []
  const rewritten = xml.replace(/<((?:\w+:)?)cellXfs\b[\s\S]*?<\/\1cellXfs\s*>/, (formats) =>
    formats.replace(/<(?:\w+:)?xf\b[^>]*>/g, (format) => {
      const id = Number(attributeOf(format, 'numFmtId') ?? 0)
      const known = dateFormatFor(id, codes.get(id))
      isDate.push(known !== undefined)
      return known === undefined
        ? format
        : format.replace(/\bnumFmtId\s*=\s*["']\d*["']/, `numFmtId="${known}"`)
    }),
  )
  return { isDate: (style) => isDate[style] === true, rewritten }
}

/**
 * Returns a number format that GDAL recognizes as the same kind of date; undefined if the original is not a
 * date.
 */
function dateFormatFor(id: number, code: string | undefined): number | undefined {
  if (id < firstOwnFormat && code === undefined) {
    if (id === dateTimeFormat) return id
    return dateFormats.has(id) ? dateFormat : undefined
  }
  // Without texts, colours, conditions and languages: elapsed hours `[h]` are not dates.
  const plain = (code ?? '')
    .replaceAll(/&quot;.*?&quot;|\\.|_.|\*.|\[[^\]]*\]/g, '')
    .replaceAll(/general/gi, '')
  const [first = ''] = plain.split(';')
  if (!/[dy]|m{3,}/i.test(first)) return undefined
  if (!/[hs]/i.test(first)) return dateFormat
  // GDAL reads milliseconds only with this format code.
  return /s[.,]0/i.test(first) ? id : dateTimeFormat
}
