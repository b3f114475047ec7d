import type { HostReading, Memory, Storage, Traffic } from '../../metrics/hosts/host-reading.ts'
import type { ExposedSample } from './exposition.ts'
import { parseExposition } from './exposition.ts'
import type { Mount } from './measured-devices.ts'
import {
  diskMounts,
  isMeasuredInterface,
  maxInterfaces,
  measuredStorages,
  toLabel,
} from './measured-devices.ts'

const filesystem = { total: 'node_filesystem_size_bytes', free: 'node_filesystem_free_bytes' }
const available = 'node_filesystem_avail_bytes'
const traffic = { received: 'node_network_receive_bytes_total', sent: 'node_network_transmit_bytes_total' }
const loads = { one: 'node_load1', five: 'node_load5', fifteen: 'node_load15' }
const memory = ['MemTotal', 'MemAvailable', 'MemFree', 'Buffers', 'Cached'].map(
  (name) => `node_memory_${name}_bytes`,
)
const times = { now: 'node_time_seconds', boot: 'node_boot_time_seconds' }
const processors = 'node_cpu_seconds_total'

const requested = new Set([
  ...Object.values(loads),
  ...memory,
  ...Object.values(filesystem),
  available,
  ...Object.values(traffic),
  ...Object.values(times),
  processors,
])

/** Reads the host values of a Prometheus node exporter. Throws if the text contains none. */
export function readNodeExporter(text: string): HostReading {
  const byName = new Map<string, ExposedSample[]>()
  for (const sample of parseExposition(text, requested).samples) {
    const same = byName.get(sample.name)
    if (same === undefined) byName.set(sample.name, [sample])
    else same.push(sample)
  }
  if (byName.size === 0) throw new Error('The answer has no metrics of a node exporter, such as node_load1')
  const list = (name: string): ExposedSample[] => byName.get(name) ?? []
  const value = (name: string): number => list(name)[0]?.value ?? Number.NaN
  const busyAndTotal = processorSeconds(list(processors))
  const uptimeSeconds = value(times.now) - value(times.boot)
  return {
    loads: { one: value(loads.one), five: value(loads.five), fifteen: value(loads.fifteen) },
    memory: memoryOf(value),
    storages: measuredStorages(storagesOf(list)),
    processors: busyAndTotal,
    traffic: trafficOf(list),
    uptimeSeconds: uptimeSeconds >= 0 ? uptimeSeconds : undefined,
  }
}

function memoryOf(value: (name: string) => number): Memory {
  const [
    all = Number.NaN,
    available = Number.NaN,
    free = Number.NaN,
    buffers = Number.NaN,
    cached = Number.NaN,
  ] = memory.map(value)
  return { all, free: Number.isFinite(available) ? available : free + buffers + cached, buffers }
}

const atWork = new Set(['user', 'nice', 'system', 'irq', 'softirq'])

function processorSeconds(samples: readonly ExposedSample[]): { busy: number; total: number } | undefined {
  let [busy, total] = [0, 0]
  for (const { labels, value } of samples) {
    if (!Number.isFinite(value)) continue
    total += value
    if (atWork.has(labels.get('mode') ?? '')) busy += value
  }
  return total > 0 ? { busy, total } : undefined
}

type List = (name: string) => ExposedSample[]

function storagesOf(list: List): Storage[] {
  const free = byLabel(list(filesystem.free), 'mountpoint')
  const forUsers = byLabel(list(available), 'mountpoint')
  const mounts = list(filesystem.total).map(({ labels, value }): Mount & { total: number } => ({
    device: labels.get('device') ?? '',
    mountPoint: labels.get('mountpoint') ?? '',
    type: labels.get('fstype') ?? '',
    total: value,
  }))
  return diskMounts(mounts).map(({ mountPoint, total }) => ({
    mountPoint,
    total,
    used: total - (free.get(mountPoint) ?? Number.NaN),
    free: forUsers.get(mountPoint) ?? Number.NaN,
  }))
}

function trafficOf(list: List): Traffic[] {
  const sent = byLabel(list(traffic.sent), 'device')
  return [...byLabel(list(traffic.received), 'device')]
    .map(([name, received]) => ({ label: toLabel(name), received, sent: sent.get(name) ?? Number.NaN }))
    .filter((one) => isMeasuredInterface(one.label) && Number.isFinite(one.received + one.sent))
    .slice(0, maxInterfaces)
}

function byLabel(samples: readonly ExposedSample[], label: string): Map<string, number> {
  return new Map(samples.map(({ labels, value }) => [labels.get(label) ?? '', value]))
}
