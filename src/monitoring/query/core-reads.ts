import { readLayerRequests } from './layer-requests.ts'
import type { Reads } from './reads.ts'
import { readRequestTotals } from './request-totals.ts'

/** The reads of this folder whose answers are plain data. */
export const coreReads = {
  layerRequests: readLayerRequests,
  requestTotals: readRequestTotals,
} satisfies Reads
