import { readLayerRequests } from './layer-requests.ts'
import type { Reads } from './reads.ts'
import { readRequestTotals } from './request-totals.ts'

/** Reads of this folder whose results are plain data. */
export const coreReads = {
  layerRequests: readLayerRequests,
  requestTotals: readRequestTotals,
} satisfies Reads
