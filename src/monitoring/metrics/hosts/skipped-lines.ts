import type { HostMetric } from './host-metric.ts'
import { partOfHostMetric } from './host-metric.ts'

/** Counted while logs are read, by the reason for ignoring a line; not part of a host reading. */
export const skippedLines: HostMetric = partOfHostMetric(
  {
    id: 102,
    name: 'log.lines.skipped',
    type: 'count',
    unit: 'Count',
    description: 'Lines of access logs that were not counted',
  },
  () => [],
)
