import { readMetricValue } from './metric-value.ts'
import type { Reads } from './reads.ts'

/** The reads of this folder whose answers are plain data. */
export const coreReads = { metricValue: readMetricValue } satisfies Reads
