import type { BigIntStats } from 'node:fs'
import { fstatSync, readSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../../../core/errors/errors.ts'
import type { DataFile } from '../../../formats/worker.ts'
import { withSidecars } from '../with-sidecars.ts'

/** Code of the failure that an index must be built before rows can be read. */
export const indexMissing = 'layer-not-indexed'

/** The error for a missing or outdated index. */
export function notIndexed(): Failure {
  return new Failure(
    'unavailable',
    indexMissing,
    'The file of this layer is new or has changed: its index is being made, ask again in a moment',
    { retryAfterSeconds: 5 },
  )
}

/** Ends a response: further rows would be from another state of the file. */
export function rowsChanged(): Failure {
  return new Failure('unavailable', 'file-changed', 'The file of this layer changed while it was read')
}

/** State of one file; numbers too large for JSON are strings. */
export interface PartStamp {
  /** Lower-case extension of a sidecar; empty for the main file. */
  extension: string
  name: string
  size: number
  modified: string
  changed: string
  inode: string
}

/** Shows whether files still are those that an index was built from. */
export interface FileStamp {
  /**
   * Time of the last added or removed folder entry: while it is unchanged, the sidecars are the same. Empty
   * if the folder changed constantly; it is then listed each time.
   */
  folder: string
  parts: PartStamp[]
}

function toPart(extension: string, name: string, status: BigIntStats): PartStamp {
  return {
    extension,
    name,
    size: Number(status.size),
    modified: String(status.mtimeNs),
    changed: String(status.ctimeNs),
    inode: `${status.dev}:${status.ino}`,
  }
}

/** Returns the present state of the files; `sidecars` are the relevant ones. */
export async function readStamp(
  path: string,
  sidecars: readonly string[],
): Promise<{ stamp: FileStamp; file: DataFile }> {
  const folder = await stat(dirname(path), { bigint: true })
  const file = await withSidecars(path)
  const found = Object.entries(file.sidecars).filter(([extension]) => sidecars.includes(extension))
  const parts = [toPart('', basename(path), await stat(path, { bigint: true }))]
  for (const [extension, sidecar] of found.sort()) {
    parts.push(toPart(extension, basename(sidecar), await stat(sidecar, { bigint: true })))
  }
  return { stamp: { folder: String(folder.mtimeNs), parts }, file }
}

function samePart(one: PartStamp, other: PartStamp | undefined): boolean {
  return other !== undefined && JSON.stringify(one) === JSON.stringify(other)
}

/** Returns the files of a stamp with their names. */
export function stampedFile(path: string, { parts }: FileStamp): DataFile {
  const sidecars = parts.filter(({ extension }) => extension !== '')
  return {
    path,
    sidecars: Object.fromEntries(
      sidecars.map(({ extension, name }) => [extension, join(dirname(path), name)]),
    ),
  }
}

/** True if the files at `path` match the stamp. Lists the folder again if its entries have changed. */
export async function fitsStamp(
  path: string,
  { folder, parts }: FileStamp,
  sidecars: readonly string[],
): Promise<boolean> {
  try {
    const status = await stat(dirname(path), { bigint: true })
    if (String(status.mtimeNs) !== folder) {
      const { stamp } = await readStamp(path, sidecars)
      return JSON.stringify(stamp.parts) === JSON.stringify(parts)
    }
    for (const part of parts) {
      const now = await stat(join(dirname(path), part.name), { bigint: true })
      if (!samePart(part, toPart(part.extension, part.name, now))) return false
    }
    return true
  } catch {
    return false
  }
}

/** True if an open file is the one of the stamp and has not been written since. */
export function isUntouched(fd: number, part: PartStamp): boolean {
  const now = toPart(part.extension, part.name, fstatSync(fd, { bigint: true }))
  return now.inode === part.inode && now.size === part.size && now.modified === part.modified
}

/** Some file systems store times in whole seconds, or only even ones. */
const [settledMs, coarseMs] = [30, 2050]
const second = 1_000_000_000n

/**
 * Returns the time until a later write is certain to change the file times, which have the resolution of the
 * kernel clock.
 */
export function unsettledMs({ folder, parts }: FileStamp, nowMs: number): { files: number; folder: number } {
  return {
    files: unsettled(
      parts.flatMap(({ modified, changed }) => [modified, changed]),
      nowMs,
    ),
    folder: unsettled([folder], nowMs),
  }
}

function unsettled(times: readonly string[], nowMs: number): number {
  const waits = times.map((time) => {
    const ns = BigInt(time)
    const age = nowMs - Number(ns / 1_000_000n)
    const needed = ns % second === 0n ? coarseMs : settledMs
    // A time in the future never settles and is accepted as it is.
    return age < -needed ? 0 : Math.max(0, needed - age)
  })
  return Math.max(...waits)
}

/** Returns the start of an open file, which contains its counts. */
export function readIndexHead(fd: number): string {
  const bytes = Buffer.alloc(256)
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)).toString('base64')
}
