import { defaultLabel, metricNamed } from '../../metrics/metrics.ts'

/** A number that stands for itself. */
export interface Gauge {
  /** Name of a host metric. */
  metric: string
  label: string
  value: number
}

/** Bytes of an interface since the host, or the interface, came up. */
export interface Traffic {
  /** The interface, or the metric's default label for all of them. */
  label: string
  received: number
  sent: number
}

/** What a host tells at one moment. */
export interface HostReading {
  gauges: Gauge[]
  /** Seconds of all processors since the start of the host: at work, and altogether. */
  processors?: { busy: number; total: number }
  traffic: Traffic[]
  uptimeSeconds?: number
  /** Differs after each start of the host. */
  boot?: string
}

/** What is kept of each kind of label, so that no host fills the series. */
export const maxMounts = 64
export const maxInterfaces = 64

const maxLabelLength = 255

/** A gauge with the default label. */
export function gauge(metric: string, value: number): Gauge {
  return { metric, label: defaultLabel(metricNamed(metric)), value }
}

/** Gauges of memory; what is available counts as free, so that used and free are all. */
export function memoryGauges({ all, free }: { all: number; free: number }): Gauge[] {
  const used = Math.max(0, all - free)
  return [
    gauge('mem.all', all),
    gauge('mem.free', free),
    gauge('mem.usage', used),
    ...(all > 0 ? [gauge('mem.usage.percent', (100 * used) / all)] : []),
  ]
}

export interface Storage {
  mountPoint: string
  total: number
  used: number
  /** For those who are not root. */
  free: number
}

export function storageGauges(storages: readonly Storage[]): Gauge[] {
  return storages
    .filter(({ total }) => total > 0)
    .slice(0, maxMounts)
    .flatMap(({ mountPoint, total, used: known, free }) => {
      const label = toLabel(mountPoint)
      const used = Math.max(0, known)
      const usable = used + free
      return [
        { metric: 'storage.total', label, value: total },
        { metric: 'storage.used', label, value: used },
        { metric: 'storage.free', label, value: free },
        ...(usable > 0 ? [{ metric: 'storage.usage.percent', label, value: (100 * used) / usable }] : []),
      ]
    })
}

/** Bounded, and without characters that a database or a page stumbles over. */
export function toLabel(text: string): string {
  return text.replace(/\p{Cc}/gu, '?').slice(0, maxLabelLength)
}

/**
 * Whether an interface counts: not the loopback, nor the bridges and pairs by which containers and virtual machines
 * pass on what a real interface has counted already.
 */
export function isCountedInterface(name: string): boolean {
  return !/^(lo\d*$|veth|docker|br-|virbr|vnet|ifb|dummy|cni|cali|flannel|tunl|lxc|lxd)/.test(name)
}

export interface Mount {
  device: string
  mountPoint: string
  type: string
}

const sealedTypes = new Set(['squashfs', 'iso9660', 'erofs', 'cramfs', 'udf', 'romfs'])

/**
 * The mounts of disks, each disk once, by its shortest mount point. Left out are virtual and sealed file systems, and
 * those of other machines, which would count there and may hang; the root counts always, since in a container it is an
 * overlay.
 */
export function diskMounts<M extends Mount>(mounts: readonly M[]): M[] {
  const byDevice = new Map<string, M>()
  for (const mount of mounts) {
    if (!isDisk(mount)) continue
    const known = byDevice.get(mount.device)
    if (known === undefined || mount.mountPoint.length < known.mountPoint.length)
      byDevice.set(mount.device, mount)
  }
  return [...byDevice.values()]
}

function isDisk({ device, mountPoint, type }: Mount): boolean {
  if (sealedTypes.has(type) || type.startsWith('fuse.')) return false
  return device.startsWith('/dev/') || type === 'zfs' || mountPoint === '/'
}
