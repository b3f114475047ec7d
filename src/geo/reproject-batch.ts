import type { FeatureBatch } from './batch.ts'
import { reprojectGeometry } from './reproject-geometry.ts'
import type { Reprojector } from './reprojector.ts'

/** The batch in the CRS of the reprojector; a geometry with no place there becomes null, its row stays. */
export async function reprojectBatch(
  batch: FeatureBatch,
  reprojector: Reprojector | undefined,
): Promise<FeatureBatch> {
  if (reprojector === undefined || reprojector.isIdentity || batch.geometry === undefined) return batch
  const { geometry, failedRows } = await reprojectGeometry(batch.geometry, batch.rowCount, reprojector)
  const validity = geometry.validity.slice()
  for (const row of failedRows) validity[row >> 3] = (validity[row >> 3] as number) & ~(1 << (row & 7))
  return { ...batch, geometry: { ...geometry, validity } }
}
