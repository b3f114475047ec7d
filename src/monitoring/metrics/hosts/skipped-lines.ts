import type { HostMetric } from './host-metric.ts'
import { partOfHostMetric } from './host-metric.ts'

/** Counted where logs are read, by the reason why a line is no request that counts; no reading of a host tells it. */
export const skippedLines: HostMetric = partOfHostMetric(
  {
    ...{ id: 102, name: 'log.lines.skipped', type: 'count', unit: 'Count' },
    description: 'Lines of access logs that were not counted',
  },
  () => [],
)
