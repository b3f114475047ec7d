import { exceptionReads } from '../../../../monitoring/query/exception-reads.ts'
import { coreReads } from '../../../../monitoring/query/request-totals.ts'
import { serveReads } from '../../../../monitoring/query/serve-reads.ts'
import { metricDataReads } from './metric-data-reads.ts'

// The thread that runs queries of clients and pages; one line per module with reads.
const reads = { ...coreReads, ...metricDataReads, ...exceptionReads }

export type SeriesReads = typeof reads

serveReads(reads)
