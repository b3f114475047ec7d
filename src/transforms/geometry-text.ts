import { geometryTypeName, wkbEnvelope } from '../geo/wkb.ts'

/** Describes a geometry for a message: its type and envelope. */
export function wkbText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const type = geometryTypeName(view.getUint32(1, true) % 1000)
  const envelope = wkbEnvelope(bytes)
  if (envelope === undefined) return `${type} empty`
  const { minX, minY, maxX, maxY } = envelope
  return minX === maxX && minY === maxY
    ? `${type} ${minX} ${minY}`
    : `${type} ${minX} ${minY}, ${maxX} ${maxY}`
}
