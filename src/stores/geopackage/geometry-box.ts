import { wkbStart } from '../../formats/geopackage/geometry-blob.ts'
import { GeometryError, WkbScanner } from '../../geo/wkb.ts'

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
