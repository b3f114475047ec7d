import { checkReads } from './notify/evaluate/check-reads.ts'
import { readMetricValue } from './query/metric-value.ts'
import { serveReads } from './query/serve-reads.ts'

// Thread that reads the values that alert rules compare. It serves no other queries, so that clients cannot
// delay an alert.
const reads = { metricValue: readMetricValue, ...checkReads }

/** Reads that the alert thread serves. */
export type AlertReads = typeof reads

serveReads(reads)
