import { wholeHostMetric } from './host-metric.ts'
import type { HostReading, Memory } from './host-reading.ts'

export const memoryAll = wholeHostMetric(
  { id: 20, name: 'mem.all', type: 'rate', unit: 'B', description: 'Memory' },
  ({ memory }) => memory?.all,
)

export const memoryFree = wholeHostMetric(
  { id: 21, name: 'mem.free', type: 'rate', unit: 'B', description: 'Memory that is free' },
  ({ memory }) => memory?.free,
)

export const memoryUsage = wholeHostMetric(
  { id: 22, name: 'mem.usage', type: 'rate', unit: 'B', description: 'Memory in use' },
  ({ memory }) => usedOf(memory),
)

export const memoryUsagePercent = wholeHostMetric(
  { id: 23, name: 'mem.usage.percent', type: 'rate', unit: '%', description: 'Memory in use' },
  usedPercent,
)

export const memoryBuffers = wholeHostMetric(
  { id: 24, name: 'mem.buffers', type: 'rate', unit: 'B', description: 'Memory for buffers' },
  ({ memory }) => memory?.buffers,
)

/** Available memory counts as free, so that used and free add up to all. */
function usedOf({ all, free }: Memory = {}): number | undefined {
  return all === undefined || free === undefined ? undefined : Math.max(0, all - free)
}

function usedPercent({ memory }: HostReading): number | undefined {
  const used = usedOf(memory)
  const { all = 0, usedPercent: reported } = memory ?? {}
  return used !== undefined && all > 0 ? (100 * used) / all : reported
}
