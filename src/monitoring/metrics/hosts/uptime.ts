import { wholeHostMetric } from './host-metric.ts'

export const uptime = wholeHostMetric(
  { id: 25, name: 'uptime', type: 'rate', unit: 's', description: 'Time since the start of the host' },
  ({ uptimeSeconds }) => uptimeSeconds,
)
