import type { Storage } from '../../metrics/hosts/host-reading.ts'

/** Limits of labels per kind, so that no host fills the series. */
export const maxMounts = 64
export const maxInterfaces = 64

const maxLabelLength = 255

/** Returns disks that have a size, limited in number, under names that can be stored. */
export function measuredStorages(storages: readonly Storage[]): Storage[] {
  return storages
    .filter(({ total }) => total > 0)
    .slice(0, maxMounts)
    .map((storage) => ({ ...storage, mountPoint: toLabel(storage.mountPoint) }))
}

/** Truncates a label and removes characters that a database or an HTML page does not accept. */
export function toLabel(text: string): string {
  return text.replace(/\p{Cc}/gu, '?').slice(0, maxLabelLength)
}

/**
 * True if an interface is counted: neither the loopback nor bridges and pairs of containers and virtual
 * machines, whose traffic a physical interface has already counted.
 */
export function isMeasuredInterface(name: string): boolean {
  return !/^(lo\d*$|veth|docker|br-|virbr|vnet|ifb|dummy|cni|cali|flannel|tunl|lxc|lxd)/.test(name)
}

export interface Mount {
  device: string
  mountPoint: string
  type: string
}

const sealedTypes = new Set(['squashfs', 'iso9660', 'erofs', 'cramfs', 'udf', 'romfs'])

/**
 * Returns the mounts of disks, each disk once by its shortest mount point. Excludes virtual and read-only
 * image file systems, and network file systems, which count on their own host and may hang. The root is
 * always included, since in a container it is an overlay.
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
