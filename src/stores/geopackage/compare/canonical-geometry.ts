import { type GeometryBox, wkbStart } from '../../../formats/geopackage/index.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { GeometryBuilder } from '../../../geo/geometry-builder.ts'
import { GeometryError, walkCoordinates } from '../../../geo/wkb.ts'

/**
 * Returns the coordinates of a geometry blob as little-endian ISO WKB, independent of header, byte order and
 * flags; 0 for −0. Undefined if it is not a geometry.
 */
export function canonicalWkb(blob: unknown): Uint8Array | undefined {
  const wkb = plainWkb(blob)
  if (wkb === undefined) return undefined
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)
  walkCoordinates(view, 0, (offset, count, dimensions) => {
    const end = offset + count * dimensions * 8
    for (let at = offset; at < end; at += 8) {
      const value = view.getFloat64(at, true)
      if (value === 0) view.setFloat64(at, 0, true)
      else if (Number.isNaN(value)) view.setFloat64(at, Number.NaN, true)
    }
  })
  return wkb
}

/**
 * Returns the geometry of a blob as newly allocated little-endian ISO WKB; undefined if the blob is not a
 * geometry.
 */
export function plainWkb(blob: unknown): Uint8Array | undefined {
  if (!(blob instanceof Uint8Array)) return undefined
  try {
    const builder = new GeometryBuilder(1, blob.length)
    builder.appendWkb(blob, wkbStart(blob, 0, blob.length))
    return builder.finish().bytes
  } catch (error) {
    if (error instanceof GeometryError) return undefined
    throw error
  }
}

/** True if two geometry blobs contain the same coordinates in the same order. */
export function isSameGeometry(a: unknown, b: unknown): boolean {
  const [first, second] = [canonicalWkb(a), canonicalWkb(b)]
  return first !== undefined && second !== undefined && Buffer.compare(first, second) === 0
}

export function extendEnvelope(envelope: Envelope, box: GeometryBox | undefined): void {
  if (box === undefined) return
  const [minX, minY, maxX, maxY] = box
  if (minX < envelope.minX) envelope.minX = minX
  if (minY < envelope.minY) envelope.minY = minY
  if (maxX > envelope.maxX) envelope.maxX = maxX
  if (maxY > envelope.maxY) envelope.maxY = maxY
}
