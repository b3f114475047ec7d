import { RowError } from '../reject-writer.ts'
import { geometryNames, typeKey } from './geometry-parser.ts'
import { JsonScanner, JsonSyntaxError, outOfJsonBytes } from './json-scanner.ts'
import { tokenText } from './json-text.ts'

const featuresKey = Buffer.from('features')
const types = new Set<string>(['Feature', 'FeatureCollection', ...geometryNames.slice(1)])
const maxLines = 20
/** Matches alphabetically sorted members, if the first geometry exceeds the sampled bytes. */
const sortedMembers = /"features"\s*:\s*\[\s*\{\s*"geometry"\s*:\s*\{\s*"coordinates"\s*:/

/**
 * Returns the `type` of the object at the scanner, or of the first of its `features`, as far as the bytes
 * show it.
 */
function objectType(scanner: JsonScanner, isInner: boolean): string | undefined {
  scanner.expect(0x7b)
  for (let isFirst = true; scanner.next(isFirst, 0x7d); isFirst = false) {
    scanner.key()
    if (scanner.tokenIs(typeKey) && scanner.bytes[scanner.at] === 0x22) {
      scanner.string()
      return tokenText(scanner)
    }
    if (!isInner && scanner.tokenIs(featuresKey) && scanner.bytes[scanner.at] === 0x5b) {
      scanner.at += 1
      return scanner.next(true, 0x5d) ? objectType(scanner, true) : undefined
    }
    scanner.value()
  }
  return undefined
}

function isGeoJsonText(text: Uint8Array): boolean {
  const scanner = new JsonScanner()
  scanner.bytes = new Uint8Array(text.length + 16)
  scanner.bytes.set(text)
  scanner.end = text.length
  try {
    scanner.space()
    return types.has(objectType(scanner, false) ?? '')
  } catch (error) {
    if (error === outOfJsonBytes) return sortedMembers.test(Buffer.from(text).toString('latin1'))
    if (error instanceof JsonSyntaxError || error instanceof RowError) return false
    throw error
  }
}

/**
 * True if a file that begins with `head` is GeoJSON: an object whose `type` is one of the nine types, or
 * lines of them.
 */
export function isGeoJson(head: Uint8Array, hasRecordName: boolean): boolean {
  let start = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0
  if (head[start] === 0x1e) start += 1
  if (isGeoJsonText(head.subarray(start))) return true
  if (!hasRecordName) return false
  for (let line = 0; line < maxLines && start < head.length; line += 1) {
    const found = head.indexOf(0x0a, start)
    const end = found < 0 ? head.length : found
    if (isGeoJsonText(head.subarray(start, end))) return true
    start = end + 1
  }
  return false
}
