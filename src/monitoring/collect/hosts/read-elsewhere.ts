import { cpus, loadavg, uptime } from 'node:os'
import type { HostReading, Storage, Traffic } from '../../metrics/hosts/host-reading.ts'
import type { Mount } from './measured-devices.ts'
import {
  diskMounts,
  isMeasuredInterface,
  maxInterfaces,
  measuredStorages,
  toLabel,
} from './measured-devices.ts'

/** Reads the metrics of this machine if it has no /proc: macOS, Windows, BSD. Windows has no load average. */
export async function readElsewhere(): Promise<HostReading> {
  const { default: information } = await import('systeminformation')
  const { fsSize, mem, networkStats } = information
  const [memory, files, interfaces] = await Promise.all([mem(), fsSize(), networkStats('*')])
  const [one = 0, five = 0, fifteen = 0] = loadavg()
  return {
    loads: process.platform === 'win32' ? {} : { one, five, fifteen },
    memory: { all: memory.total, free: memory.available },
    storages: measuredStorages(toStorages(files)),
    processors: processorSeconds(),
    traffic: toTraffic(interfaces),
    uptimeSeconds: uptime(),
  }
}

function processorSeconds(): { busy: number; total: number } {
  let [busy, total] = [0, 0]
  for (const { times } of cpus()) {
    const work = times.user + times.nice + times.sys + times.irq
    busy += work / 1000
    total += (work + times.idle) / 1000
  }
  return { busy, total }
}

interface FileSystem {
  fs: string
  type: string
  size: number
  used: number
  available: number
  mount: string
}

function toStorages(files: readonly FileSystem[]): Storage[] {
  const mounts = files.map((file): Mount & FileSystem => ({
    ...file,
    device: file.fs,
    mountPoint: file.mount,
  }))
  const disks = process.platform === 'win32' ? mounts : diskMounts(mounts)
  return disks.map(({ mountPoint, size, used, available }) => ({
    mountPoint,
    total: size,
    used,
    free: available,
  }))
}

function toTraffic(interfaces: readonly { iface: string; rx_bytes: number; tx_bytes: number }[]): Traffic[] {
  return interfaces
    .filter(
      ({ iface, rx_bytes, tx_bytes }) => isMeasuredInterface(iface) && Number.isFinite(rx_bytes + tx_bytes),
    )
    .slice(0, maxInterfaces)
    .map(({ iface, rx_bytes, tx_bytes }) => ({ label: toLabel(iface), received: rx_bytes, sent: tx_bytes }))
}
