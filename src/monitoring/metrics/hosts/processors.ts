import { perSecond, wholeHostMetric } from './host-metric.ts'
import type { HostAmounts, HostReading } from './host-reading.ts'

export const cpuUsage = wholeHostMetric(
  { id: 26, name: 'cpu.usage', type: 'count', unit: 's', description: 'Processor time' },
  (_reading, since) => since?.processors?.busy,
)

export const cpuUsageRate = wholeHostMetric(
  { id: 27, name: 'cpu.usage.rate', type: 'rate', unit: 'Rate', description: 'Processors in use' },
  (_reading, since) => since?.processors && perSecond(since.processors.busy, since),
)

export const cpuUsagePercent = wholeHostMetric(
  { id: 28, name: 'cpu.usage.percent', type: 'rate', unit: '%', description: 'Processors in use' },
  busyPercent,
)

function busyPercent(reading: HostReading, since: HostAmounts | undefined): number | undefined {
  const { busy, total } = since?.processors ?? { busy: 0, total: 0 }
  return total > 0 ? Math.min(100, (100 * busy) / total) : reading.busyPercent
}
