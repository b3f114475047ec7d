import { GeometryError, WkbScanner } from '../../geo/wkb.ts'

const envelopeBytes = [0, 32, 48, 48, 64]

/**
 * Returns the offset of the WKB in a geometry blob (OGC 12-128r18, section 2.1.3). Throws `GeometryError`.
 */
export function wkbStart(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 8 || bytes[start] !== 0x47 || bytes[start + 1] !== 0x50) {
    throw new GeometryError('The value is not a GeoPackage geometry: it does not begin with "GP"')
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

const scanner = new WkbScanner()

/** minX, minY, maxX, maxY */
export type GeometryBox = readonly [number, number, number, number]

/** Returns the bounding box of a geometry blob; undefined if it is empty or not a geometry. */
export function geometryBox(blob: unknown): GeometryBox | undefined {
  if (!(blob instanceof Uint8Array)) return undefined
  try {
    const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
    scanner.scan(view, wkbStart(blob, 0, blob.length))
  } catch (error) {
    if (!(error instanceof GeometryError)) throw error
    return undefined
  }
  const { minX, minY, maxX, maxY } = scanner
  return Number.isNaN(minX) ? undefined : [minX, minY, maxX, maxY]
}
