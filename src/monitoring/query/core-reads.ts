import { readLayerRequests } from './layer-requests.ts'
import { readMetricValue } from './metric-value.ts'
import type { Reads } from './reads.ts'
import { readRequestTotals } from './request-totals.ts'

/** The reads of this folder whose answers are plain data. */
export const coreReads = {
  metricValue: readMetricValue,
  layerRequests: readLayerRequests,
  requestTotals: readRequestTotals,
} satisfies Reads
