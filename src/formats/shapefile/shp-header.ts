import type { Envelope } from '../../geo/envelope.ts'
import { FormatError } from '../format.ts'

/** Bytes of the header of a .shp and of a .shx. */
export const shpHeaderBytes = 100

export const fileCode = 9994

/** Meaning of a shape type number (ESRI Shapefile Technical Description, July 1998, page 4). */
export interface ShapeType {
  number: number
  base: 'Null' | 'Point' | 'PolyLine' | 'Polygon' | 'MultiPoint'
  hasZ: boolean
  /** True if M is part of the type; Z types may contain it as well. */
  hasM: boolean
}

const bases: Record<number, ShapeType['base']> = { 1: 'Point', 3: 'PolyLine', 5: 'Polygon', 8: 'MultiPoint' }

const shapeTypes = new Map<number, ShapeType>([[0, { number: 0, base: 'Null', hasZ: false, hasM: false }]])
for (const [base, name] of Object.entries(bases)) {
  for (const [plus, hasZ] of [
    [0, false],
    [10, true],
    [20, false],
  ] as const) {
    const number = Number(base) + plus
    shapeTypes.set(number, { number, base: name, hasZ, hasM: plus === 20 })
  }
}

export function findShapeType(number: number): ShapeType | undefined {
  return shapeTypes.get(number)
}

export interface ShpHeader {
  /** Length of the file in bytes according to its header. */
  declaredBytes: number
  type: ShapeType
  envelope: Envelope
}

const multiPatch = 31

/**
 * True if these are the first bytes of a .shp (or .shx), including multipatches, which are rejected by name
 * when read.
 */
export function isShpHead(head: Uint8Array): boolean {
  if (head.length < 4) return false
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  if (view.getInt32(0) !== fileCode) return false
  if (head.length < shpHeaderBytes) return true
  const number = view.getInt32(32, true)
  return number === multiPatch || findShapeType(number) !== undefined
}

export function parseShpHeader(bytes: Uint8Array): ShpHeader {
  if (bytes.length < shpHeaderBytes) {
    const message = `The .shp ends within its header: ${bytes.length} of ${shpHeaderBytes} bytes`
    throw new FormatError(message, { code: 'truncated' })
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getInt32(0) !== fileCode) {
    throw new FormatError(`A .shp starts with the file code ${fileCode}, this one with ${view.getInt32(0)}`)
  }
  const number = view.getInt32(32, true)
  const type = findShapeType(number)
  if (type === undefined) {
    const message =
      number === multiPatch
        ? 'The shapes are multipatches (shape type 31, surfaces of bodies), which are not read: convert them to polygons'
        : `Shape type ${number} in the header of the .shp is not supported`
    throw new FormatError(message, { code: 'unsupported-shape-type' })
  }
  const [minX, minY, maxX, maxY] = [36, 44, 52, 60].map((at) => view.getFloat64(at, true))
  return { declaredBytes: view.getUint32(24) * 2, type, envelope: { minX, minY, maxX, maxY } as Envelope }
}
