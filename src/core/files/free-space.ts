import { statfsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../errors/errors.ts'
import { startLimit } from '../time/wait-limit.ts'

/** Disk space that must remain free, in bytes. */
const spareBytes = 256 << 20

/** Throws `Failure` if the disk of a file has no more free space. */
export function requireFreeSpace(file: string): void {
  const { bsize, bavail } = statfsSync(dirname(file))
  if (bsize * bavail < spareBytes)
    throw new Failure(
      'unavailable',
      'no-room-for-version',
      'There is no room on the disk for a copy of the version',
    )
}

const patienceMs = 1000
const keptMs = 2000

/** Disk space. */
export interface Space {
  /** Bytes that an unprivileged process may still write. */
  freeBytes: number
  totalBytes: number
}

/**
 * Free space on the disk of a folder. The result is unknown if the disk does not respond within a second;
 * only one query runs at a time.
 */
export class FreeSpace {
  readonly #folder: string
  #known: Space | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  async read(): Promise<Space | undefined> {
    if (performance.now() - this.#readAt < keptMs) return this.#known
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    const late = Promise.withResolvers<false>()
    const stop = startLimit(patienceMs, () => late.resolve(false))
    const hasAnswered = await Promise.race([this.#asking.then(() => true), late.promise])
    stop()
    return hasAnswered ? this.#known : undefined
  }

  async #ask(): Promise<void> {
    try {
      const { bsize, blocks, bavail } = await statfs(this.#folder)
      this.#known = { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
    } catch {
      this.#known = undefined
    }
    this.#readAt = performance.now()
  }
}
