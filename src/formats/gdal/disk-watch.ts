import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../core/errors/errors.ts'

const lookEveryMs = 500
/** Disk space that must remain free, also for databases on the same disk. */
const reservedBytes = 256 * 2 ** 20

export interface DiskLimit {
  /** Output folder. */
  folder: string
  /** Maximum size of the folder, in bytes. */
  maxBytes: number
}

const inMegabytes = (bytes: number): string => `${Math.max(0, Math.floor(bytes / 2 ** 20))} MB`

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize - reservedBytes
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size, blocks }) => Math.min(size, blocks * 512),
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function diskFull(): Failure {
  return new Failure(
    'unavailable',
    'disk-full',
    `The disk of the data directory, TERRANE_DATA, is full (${inMegabytes(reservedBytes)} are kept free): make room and try again`,
  )
}

function tooLarge(maxBytes: number): Failure {
  return new Failure(
    'tooLarge',
    'raster-too-large',
    `The transformation writes more than ${inMegabytes(maxBytes)}, which TERRANE_MAX_RASTER allows: ask for fewer cells or compress`,
  )
}

/** Returns the maximum size of one file in bytes. Throws `Failure` if the disk is full already. */
export async function spaceFor({ folder, maxBytes }: DiskLimit): Promise<number> {
  const free = await freeBytes(folder)
  if (free <= 0) throw diskFull()
  return Math.min(free, maxBytes)
}

/**
 * Returns the error if work failed because of the disk or the limit: a file reached its maximum size, or the
 * disk is full.
 */
export async function outgrown(limit: DiskLimit, maxFileBytes: number): Promise<Failure | undefined> {
  if ((await freeBytes(limit.folder)) <= 0) return diskFull()
  if ((await sizeOf(limit.folder)) < maxFileBytes) return undefined
  return maxFileBytes < limit.maxBytes ? diskFull() : tooLarge(limit.maxBytes)
}

/**
 * Runs work with a signal that also aborts when the folder exceeds its limit or the disk is full; the work
 * then ends with that reason.
 */
export async function withDiskWatch<T>(
  limit: DiskLimit,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const full = new AbortController()
  const check = async (): Promise<void> => {
    if ((await sizeOf(limit.folder)) > limit.maxBytes) full.abort(tooLarge(limit.maxBytes))
    if ((await freeBytes(limit.folder)) <= 0) full.abort(diskFull())
  }
  const timer = setInterval(() => void check().catch(() => undefined), lookEveryMs)
  try {
    return await work(AbortSignal.any([signal, full.signal]))
  } finally {
    clearInterval(timer)
  }
}
