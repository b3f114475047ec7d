import type { Envelope } from '../../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../../geo/envelope.ts'
import type { RowsPlan, WorkLocation } from './open-rows.ts'
import { openRows } from './open-rows.ts'

/** Maximum number of rows read for an approximate envelope, and maximum time in milliseconds. */
const maxRows = 100_000
const maxMs = 3000

/** Returns the envelope of the first rows in their own CRS; undefined if they have no coordinates. */
export async function readBounds(
  plan: RowsPlan,
  location: WorkLocation,
  signal: AbortSignal,
): Promise<Envelope | undefined> {
  const rows = await openRows(plan, location, signal)
  const bounds = emptyEnvelope()
  const endMs = performance.now() + maxMs
  let count = 0
  try {
    for await (const { geometry, rowCount } of rows.batches) {
      signal.throwIfAborted()
      if (geometry !== undefined) widen(bounds, geometry.envelopes, rowCount)
      count += rowCount
      if (count >= maxRows || performance.now() > endMs) break
    }
    return isEmptyEnvelope(bounds) ? undefined : bounds
  } finally {
    await rows.close()
  }
}

/** Extends the bounds; NaN of empty geometries is ignored. */
function widen(bounds: Envelope, envelopes: Float64Array, rowCount: number): void {
  for (let at = 0; at < rowCount * 4; at += 4) {
    const [minX, minY, maxX, maxY] = envelopes.subarray(at, at + 4) as unknown as [
      number,
      number,
      number,
      number,
    ]
    if (minX < bounds.minX) bounds.minX = minX
    if (minY < bounds.minY) bounds.minY = minY
    if (maxX > bounds.maxX) bounds.maxX = maxX
    if (maxY > bounds.maxY) bounds.maxY = maxY
  }
}
