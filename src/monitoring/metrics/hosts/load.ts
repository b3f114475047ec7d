import { wholeHostMetric } from './host-metric.ts'

export const uptime = wholeHostMetric(
  { id: 25, name: 'uptime', type: 'rate', unit: 's', description: 'Time since the start of the host' },
  ({ uptimeSeconds }) => uptimeSeconds,
)

export const load1 = wholeHostMetric(
  { id: 17, name: 'load.1m', type: 'rate', unit: 'Rate', description: 'Load over 1 minute' },
  ({ loads }) => loads?.one,
)

export const load5 = wholeHostMetric(
  { id: 18, name: 'load.5m', type: 'rate', unit: 'Rate', description: 'Load over 5 minutes' },
  ({ loads }) => loads?.five,
)

export const load15 = wholeHostMetric(
  { id: 19, name: 'load.15m', type: 'rate', unit: 'Rate', description: 'Load over 15 minutes' },
  ({ loads }) => loads?.fifteen,
)
