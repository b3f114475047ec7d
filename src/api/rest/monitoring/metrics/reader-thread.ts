import { coreReads, exceptionReads, serveReads } from '../../../../monitoring/query/index.ts'
import { metricDataReads } from './metric-data-reads.ts'

// The thread that runs queries of clients and pages; one line per module with reads.
const reads = { ...coreReads, ...metricDataReads, ...exceptionReads }

export type SeriesReads = typeof reads

serveReads(reads)
