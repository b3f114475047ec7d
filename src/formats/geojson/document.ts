import { asciiText } from '../../core/values/decimal.ts'
import { FormatError } from '../format.ts'
import { typeKey } from './geometry-parser.ts'
import type { JsonScanner } from './json-scanner.ts'
import type { JsonSource } from './json-source.ts'

const featuresKey = Buffer.from('features')
const crsKey = Buffer.from('crs')
const longestCrs = 1 << 16
export const newlineExtensions = /\.(geojsonl|geojsons|geojsonseq|ndjson|jsonl|ndgeojson)$/i
const recordSeparator = 0x1e
const newline = 0x0a

/** Members of the outermost object that determine how to read the rest. */
export interface TopMembers {
  type: string | undefined
  /** The `crs` member, parsed; undefined when there is none. */
  crs: unknown
}

/**
 * Layout of the file. The scanner is then after the `[` of the features, at the single object, or at the
 * first record of a text sequence (RFC 8142) or newline-delimited file.
 */
export interface Layout {
  kind: 'collection' | 'object' | 'records'
  /** Byte that ends a record. */
  separator: number
  top: TopMembers
}

/** Returns undefined if the member contains NaN or an infinite number, which does not name a CRS. */
function parseCrs(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
}

/**
 * Reads the value of a member of the outermost object and stores relevant ones; true at the start of the
 * features.
 */
export function readTopMember(scanner: JsonScanner, top: TopMembers): boolean {
  const isFeatures = scanner.tokenIs(featuresKey)
  const isType = scanner.tokenIs(typeKey)
  const isCrs = scanner.tokenIs(crsKey)
  const start = scanner.at
  if (isFeatures && (top.type === undefined || top.type === 'FeatureCollection')) {
    if (scanner.bytes[start] !== 0x5b) scanner.fail('"features" is not an array')
    scanner.at += 1
    return true
  }
  scanner.value()
  if (isType && scanner.bytes[start] === 0x22)
    top.type = asciiText(scanner.bytes, scanner.tokenStart, scanner.tokenEnd)
  if (isCrs && scanner.at - start <= longestCrs) {
    top.crs = parseCrs(scanner.bytes.subarray(start, scanner.at))
  }
  return false
}

interface TopScan {
  top: TopMembers
  isCollection: boolean
  isOneLine: boolean
}

function scanTop(scanner: JsonScanner): TopScan {
  const top: TopMembers = { type: undefined, crs: undefined }
  const start = scanner.at
  scanner.expect(0x7b)
  for (let isFirst = true; scanner.next(isFirst, 0x7d); isFirst = false) {
    scanner.key()
    if (readTopMember(scanner, top)) return { top, isCollection: true, isOneLine: false }
  }
  const isOneLine = !scanner.bytes.subarray(start, scanner.at).includes(newline)
  return { top, isCollection: false, isOneLine }
}

/** Moves the scanner to the first byte other than byte order mark and white space, and returns that byte. */
async function toStart(source: JsonSource): Promise<number> {
  source.rewind()
  await source.more(0)
  const { bytes } = source.scanner
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) source.scanner.at = 3
  return source.peek()
}

async function findLayout(source: JsonSource): Promise<Layout> {
  const { top, isCollection, isOneLine } = await source.step(() => scanTop(source.scanner))
  if (isCollection) return { kind: 'collection', separator: 0, top }
  const behind = await source.peek()
  if (behind !== 0) {
    if (!isOneLine) source.fail('there is text after the end of the object')
    await toStart(source)
    return { kind: 'records', separator: newline, top }
  }
  await toStart(source)
  return { kind: 'object', separator: 0, top }
}

/** Finds the layout of a file from its start. */
export async function readLayout(source: JsonSource, path: string): Promise<Layout> {
  const first = await toStart(source)
  const top: TopMembers = { type: undefined, crs: undefined }
  if (first === recordSeparator) return { kind: 'records', separator: recordSeparator, top }
  try {
    return await findLayout(source)
  } catch (error) {
    const isBadLine =
      error instanceof FormatError && error.code === 'bad-json' && newlineExtensions.test(path)
    if (!isBadLine) throw error
    await toStart(source)
    return { kind: 'records', separator: newline, top }
  }
}
