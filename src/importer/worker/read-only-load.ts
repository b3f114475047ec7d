import type { FeatureBatch } from '../../geo/batch.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../../geo/envelope.ts'
import type { StagedLoad } from '../../stores/index.ts'

/** Counts rows without storing them, for the dry run of a file that is served directly. */
export async function readOnly(batches: AsyncIterable<FeatureBatch>): Promise<StagedLoad> {
  let rowsLoaded = 0
  const envelope = emptyEnvelope()
  for await (const { rowCount, geometry } of batches) {
    rowsLoaded += rowCount
    for (let at = 0; geometry !== undefined && at < rowCount * 4; at += 4) {
      const [minX, minY, maxX, maxY] = geometry.envelopes.subarray(at, at + 4)
      if (minX === undefined || minY === undefined || maxX === undefined || maxY === undefined) continue
      if (Number.isNaN(minX)) continue
      envelope.minX = Math.min(envelope.minX, minX)
      envelope.minY = Math.min(envelope.minY, minY)
      envelope.maxX = Math.max(envelope.maxX, maxX)
      envelope.maxY = Math.max(envelope.maxY, maxY)
    }
  }
  return {
    result: { rowsLoaded, renamed: {}, envelope: isEmptyEnvelope(envelope) ? undefined : envelope },
    prepare: () => Promise.reject(new Error('A read-only load stores no rows')),
    discard: () => Promise.resolve(),
  }
}
