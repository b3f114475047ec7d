import { stat, statfs } from 'node:fs/promises'
import { startLimit } from '../../../core/time/wait-limit.ts'
import type { Storage } from '../../metrics/hosts/host-reading.ts'
import type { Mount } from './measured-devices.ts'
import { diskMounts, maxMounts } from './measured-devices.ts'

const patienceMs = 2000

/**
 * Sizes of the mounted disks. Skips a file system that does not respond, and does not query it again until it
 * does.
 */
export class DiskSizes {
  readonly #hanging = new Set<string>()

  async read(mounts: readonly Mount[]): Promise<Storage[]> {
    const storages = await Promise.all(
      diskMounts(mounts)
        .slice(0, maxMounts)
        .map(({ mountPoint }) => this.#size(mountPoint)),
    )
    return storages.filter((storage) => storage !== undefined)
  }

  async #size(mountPoint: string): Promise<Storage | undefined> {
    if (this.#hanging.has(mountPoint)) return undefined
    this.#hanging.add(mountPoint)
    const size = sizeOf(mountPoint)
      .catch(() => undefined)
      .finally(() => this.#hanging.delete(mountPoint))
    const late = Promise.withResolvers<undefined>()
    const stop = startLimit(patienceMs, () => late.resolve(undefined))
    const storage = await Promise.race([size, late.promise])
    stop()
    return storage
  }
}

/** Undefined for a mounted single file, as in containers. */
async function sizeOf(mountPoint: string): Promise<Storage | undefined> {
  if (!(await stat(mountPoint)).isDirectory()) return undefined
  const { bsize, blocks, bfree, bavail } = await statfs(mountPoint)
  return { mountPoint, total: blocks * bsize, used: (blocks - bfree) * bsize, free: bavail * bsize }
}
