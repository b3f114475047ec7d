import type { FeatureBatch } from '../../geo/batch.ts'
import { isValid } from '../../geo/column.ts'
import { SeenGeometries } from '../../geo/geometry-shape.ts'
import type { GeometryField } from '../../geo/schema.ts'
import { walkCoordinates } from '../../geo/wkb.ts'

/** The type and dimensions that geometries written with Z and M really have: a dimension of zeros alone is none. */
export async function surveyGeometries(
  batches: AsyncIterable<FeatureBatch>,
): Promise<Pick<GeometryField, 'type' | 'hasZ' | 'hasM'>> {
  const seen = new SeenGeometries()
  let hasZ = false
  let hasM = false
  for await (const { geometry, rowCount } of batches) {
    if (geometry === undefined) continue
    const view = new DataView(geometry.bytes.buffer, geometry.bytes.byteOffset, geometry.bytes.byteLength)
    const visit = (offset: number, count: number): void => {
      for (let at = offset + 16; at < offset + count * 32; at += 32) {
        if (isSet(view.getFloat64(at, true))) hasZ = true
        if (isSet(view.getFloat64(at + 8, true))) hasM = true
      }
    }
    for (let row = 0; row < rowCount; row += 1) {
      if (!isValid(geometry.validity, row)) continue
      const start = geometry.offsets[row] as number
      seen.add(view.getUint32(start + 1, true) % 1000, false, false)
      walkCoordinates(view, start, visit)
    }
  }
  return { type: seen.type, hasZ, hasM }
}

function isSet(ordinate: number): boolean {
  return ordinate !== 0 && !Number.isNaN(ordinate)
}
