import type { MetricFacts } from '../metric.ts'
import type { HostMetric } from './host-metric.ts'
import { partOfHostMetric } from './host-metric.ts'
import type { Storage } from './host-reading.ts'

export const storageTotal = storageMetric(
  { id: 29, name: 'storage.total', unit: 'B', description: 'Storage' },
  ({ total }) => total,
)

export const storageUsed = storageMetric(
  { id: 30, name: 'storage.used', unit: 'B', description: 'Storage in use' },
  usedOf,
)

export const storageFree = storageMetric(
  { id: 31, name: 'storage.free', unit: 'B', description: 'Storage that is free' },
  ({ free }) => free,
)

export const storageUsagePercent = storageMetric(
  { id: 201, name: 'storage.usage.percent', unit: '%', description: 'Storage in use' },
  usedPercent,
)

function usedPercent(storage: Storage): number {
  const usable = usedOf(storage) + storage.free
  return usable > 0 ? (100 * usedOf(storage)) / usable : Number.NaN
}

function usedOf({ used }: Storage): number {
  return Math.max(0, used)
}

function storageMetric(
  facts: Omit<MetricFacts, 'type' | 'isLabelled'>,
  read: (storage: Storage) => number,
): HostMetric {
  return partOfHostMetric({ ...facts, type: 'rate' }, ({ storages }) =>
    storages.map((storage) => ({ label: storage.mountPoint, value: read(storage) })),
  )
}
