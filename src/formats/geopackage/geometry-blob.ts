import { GeometryError } from '../../geo/wkb.ts'

const envelopeBytes = [0, 32, 48, 48, 64]

/**
 * Returns the offset of the WKB in a geometry blob (OGC 12-128r18, section 2.1.3). Throws `GeometryError`.
 */
export function wkbStart(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 8 || bytes[start] !== 0x47 || bytes[start + 1] !== 0x50) {
    throw new GeometryError('The value is no GeoPackage geometry: it does not begin with "GP"')
  }
  const version = bytes[start + 2] as number
  if (version !== 0) throw new GeometryError(`Version ${version} of the GeoPackage geometry is not known`)
  const flags = bytes[start + 3] as number
  if ((flags & 0x20) !== 0)
    throw new GeometryError('The geometry is of an extended type, which is not supported')
  const envelope = envelopeBytes[(flags >> 1) & 7]
  if (envelope === undefined) throw new GeometryError('The envelope of the geometry has an unknown form')
  if (end - start < 8 + envelope) throw new GeometryError('The geometry ends within its envelope')
  return start + 8 + envelope
}
