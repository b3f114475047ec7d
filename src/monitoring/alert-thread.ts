import { checkReads } from './notify/evaluate/check-reads.ts'
import { readMetricValue } from './query/metric-value.ts'
import { serveReads } from './query/serve-reads.ts'

// The thread that reads what alert rules compare. It does nothing else, so that no query of a client delays an alert.
const reads = { metricValue: readMetricValue, ...checkReads }

/** Reads that the alert thread answers. */
export type AlertReads = typeof reads

serveReads(reads)
