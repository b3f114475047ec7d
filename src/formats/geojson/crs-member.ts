import { ownValue } from '../../core/values/record-keys.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { FormatMessage } from '../format.ts'

const wellKnown: Record<string, string> = { CRS84: 'EPSG:4326', CRS83: 'EPSG:4269', CRS27: 'EPSG:4267' }

export interface CollectionCrs {
  crs: CrsDeclaration | undefined
  message?: FormatMessage
}

/**
 * Returns the CRS of a collection: RFC 7946 section 4 (without a declaration: longitude, latitude on WGS 84),
 * or the `crs` member of GeoJSON 2008 section 3, where null means that none can be assumed. Positions are x,
 * y whatever the axis order of the CRS.
 */
export function crsOfCollection(member: unknown): CollectionCrs {
  if (member === undefined) return { crs: { srs: 'EPSG:4326' } }
  const name = memberName(member)
  const crs = name === undefined ? undefined : crsOfName(name)
  if (crs !== undefined) return { crs }
  const message = `The "crs" member names no CRS that is known here: ${(JSON.stringify(member) ?? '').slice(0, 200)}`
  return { crs: undefined, message: { level: 'warning', code: 'unknown-crs', message } }
}

function memberName(member: unknown): string | undefined {
  const properties = field(member, 'properties')
  const name = field(properties, 'name')
  if (typeof name === 'string') return name
  const code = field(properties, 'code')
  const type = field(member, 'type')
  return type === 'EPSG' && (typeof code === 'number' || typeof code === 'string')
    ? `EPSG:${code}`
    : undefined
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Record<string, unknown>)[name]
}

function crsOfName(name: string): CrsDeclaration | undefined {
  const text = name.trim()
  const parts =
    /^urn:(?:x-)?ogc:def:crs:([a-z]+):[^:]*:(\w+)$/i.exec(text) ??
    /^https?:\/\/www\.opengis\.net\/def\/crs\/([a-z]+)\/[^/]+\/(\w+)$/i.exec(text) ??
    /^([a-z]+):+(\w+)$/i.exec(text)
  if (parts !== null) {
    const authority = (parts[1] as string).toUpperCase()
    const code = (parts[2] as string).toUpperCase()
    if (authority === 'OGC') {
      const srs = ownValue(wellKnown, code)
      return srs === undefined ? undefined : { srs }
    }
    return authority === 'EPSG' && !/^\d+$/.test(code) ? undefined : { srs: `${authority}:${code}` }
  }
  return /^[A-Z]+(CRS|CS)\s*\[/.test(text) ? { wkt: text } : undefined
}
