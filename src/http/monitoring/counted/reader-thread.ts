import { checkReads } from '../../../monitoring/notify/evaluate/check-reads.ts'
import { coreReads } from '../../../monitoring/query/core-reads.ts'
import { exceptionReads } from '../../../monitoring/query/exception-reads.ts'
import { serveReads } from '../../../monitoring/query/serve-reads.ts'
import { metricDataReads } from './metric-data-reads.ts'

// The thread that answers what `SeriesReader` asks; one line for each part that has reads.
const reads = {
  ...coreReads,
  ...metricDataReads,
  ...exceptionReads,
  ...checkReads,
}

export type SeriesReads = typeof reads

serveReads(reads)
