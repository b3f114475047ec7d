import { RowError } from '../reject-writer.ts'
import type { GeometryParser } from './geometry-parser.ts'
import type { JsonScanner } from './json-scanner.ts'
import { outOfJsonBytes } from './json-scanner.ts'
import { tokenText } from './json-text.ts'

const encoder = new TextEncoder()

const memberNames = ['type', 'properties', 'geometry', 'id'] as const
const keys = memberNames.map((name) => encoder.encode(name))
const members = memberNames.map((name) => encoder.encode(`"${name}":`))
const featureWord = encoder.encode('"Feature"')
const openBrace = 0x7b
const closeBrace = 0x7d

/** Callbacks for the parts of a feature. Each starts at a value and must leave the scanner after it. */
export interface FeatureTarget {
  geometry: GeometryParser
  /** Called before each geometry, since an object may contain the member twice: the last one counts. */
  beforeGeometry(): void
  afterGeometry(): void
  /** Called for a property; the scanner is at its name. */
  property(): void
  /** The `id` member of the feature. */
  id(): void
}

function refuse(scanner: JsonScanner, reason: string): never {
  if (scanner.at >= scanner.end) throw outOfJsonBytes
  throw new RowError(reason)
}

function passNull(scanner: JsonScanner, member: string): void {
  if (scanner.bytes[scanner.at] !== 0x6e) refuse(scanner, `"${member}" is neither an object nor null`)
  scanner.literal()
}

/** Skips a member name; returns its index in `memberNames`, or their number for any other name. */
function passMemberName(scanner: JsonScanner): number {
  for (let i = 0; i < members.length; i += 1) if (scanner.take(members[i] as Uint8Array)) return i
  scanner.key()
  for (let i = 0; i < keys.length; i += 1) if (scanner.tokenIs(keys[i] as Uint8Array)) return i
  return keys.length
}

function readFeatureType(scanner: JsonScanner): void {
  if (scanner.take(featureWord)) return
  if (scanner.bytes[scanner.at] !== 0x22) refuse(scanner, '"type" is not a string')
  scanner.string()
  const type = tokenText(scanner)
  if (type !== 'Feature') throw new RowError(`"type" is "${type.slice(0, 40)}", not "Feature"`)
}

function readGeometryMember(scanner: JsonScanner, target: FeatureTarget): void {
  target.beforeGeometry()
  if (scanner.bytes[scanner.at] !== openBrace) {
    passNull(scanner, 'geometry')
    return
  }
  target.geometry.parse()
  target.afterGeometry()
}

function readProperties(scanner: JsonScanner, target: FeatureTarget): void {
  if (scanner.bytes[scanner.at] !== openBrace) {
    passNull(scanner, 'properties')
    return
  }
  scanner.at += 1
  for (let isFirst = true; scanner.next(isFirst, closeBrace); isFirst = false) {
    target.property()
  }
}

/** Reads the Feature object (RFC 7946 section 3.2) at the scanner into `target`; skips foreign members. */
export function parseFeature(scanner: JsonScanner, target: FeatureTarget): void {
  if (scanner.space() !== openBrace) refuse(scanner, 'A feature is not an object')
  scanner.at += 1
  let hasType = false
  for (let isFirst = true; scanner.next(isFirst, closeBrace); isFirst = false) {
    const member = passMemberName(scanner)
    if (member === 0) {
      readFeatureType(scanner)
      hasType = true
    } else if (member === 1) readProperties(scanner, target)
    else if (member === 2) readGeometryMember(scanner, target)
    else if (member === 3) target.id()
    else scanner.value()
  }
  if (!hasType) throw new RowError('A feature has no "type"')
}

/** Parses a Feature or a bare geometry, distinguished by `type`, which may be anywhere in the object. */
export function parseObject(scanner: JsonScanner, target: FeatureTarget): void {
  if (scanner.space() !== openBrace) refuse(scanner, 'A record is not an object')
  const start = scanner.at
  scanner.at += 1
  let type = ''
  for (let isFirst = true; type === '' && scanner.next(isFirst, closeBrace); isFirst = false) {
    const isType = passMemberName(scanner) === 0
    if (isType && scanner.bytes[scanner.at] === 0x22) {
      scanner.string()
      type = tokenText(scanner)
    } else scanner.value()
  }
  scanner.at = start
  if (type === 'Feature') {
    parseFeature(scanner, target)
    return
  }
  if (type === 'FeatureCollection')
    throw new RowError('A FeatureCollection stands where one feature was expected')
  target.beforeGeometry()
  target.geometry.parse()
  target.afterGeometry()
}
