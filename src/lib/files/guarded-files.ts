import type { Dirent } from 'node:fs'
import { closeSync, constants, copyFileSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { copyFile, mkdir, open, opendir, readlink, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { invalid } from '../errors.ts'

/** Where files may be read from; real paths. Plain data: every thread and child process of the server knows it. */
export interface Guard {
  /** Folders of people who may change what is in them at any moment. Links that lead out of all of them are refused. */
  roots: readonly string[]
  /** Folders of our own, which nobody else writes to: what is in them is trusted. */
  own: readonly string[]
}

const guardKey = 'terrane.guard'

/** Guards what this process, and what threads and processes that it starts from here on, read by name. */
export function setGuard(guard: Guard | undefined): void {
  setEnvironmentData(guardKey, guard as unknown as Parameters<typeof setEnvironmentData>[1])
}

/** The guard that `setGuard` has set for this process and its threads. */
export function currentGuard(): Guard | undefined {
  return getEnvironmentData(guardKey) as unknown as Guard | undefined
}

/** Whether a path is a folder or stands in it; by the texts alone, without a look at the disk. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

function isOwn(guard: Guard, path: string): boolean {
  return guard.own.some((folder) => isWithin(folder, path))
}

/** Whether what was opened as `path`, and really lies at `real`, may be read. */
function isAllowed(path: string, real: string): boolean {
  const guard = currentGuard()
  if (guard === undefined) return true
  const named = resolve(path)
  return real === named || isOwn(guard, named) || guard.roots.some((root) => isWithin(root, real))
}

function refusal(path: string): Error {
  return invalid(
    'path-outside-roots',
    `"${path}" leads out of the folders that may be imported from: a part of it is a link, or has become one`,
  )
}

const flags = constants.O_RDONLY | constants.O_NONBLOCK
const hasHandlePaths = process.platform === 'linux'

/**
 * Opens a file or folder for reading, and then looks where the handle leads: whatever happens to the names meanwhile,
 * what is read is what was looked at. Where the system does not tell the path of a handle (other than Linux) the name
 * is resolved instead, which leaves a gap. Throws `Failure` (`path-outside-roots`). A FIFO is opened without waiting.
 */
export async function openGuarded(path: string, moreFlags = 0): Promise<FileHandle> {
  const handle = await open(path, flags | moreFlags)
  try {
    const real = hasHandlePaths ? await readlink(handlePath(handle.fd)) : await realpath(path)
    if (!isAllowed(path, real)) throw refusal(path)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** As `openGuarded`; close what it gives. */
export function openGuardedSync(path: string): number {
  const fd = openSync(path, flags)
  try {
    const real = hasHandlePaths ? readlinkSync(handlePath(fd)) : realpathSync(path)
    if (!isAllowed(path, real)) throw refusal(path)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** The whole of a small file. */
export async function readGuarded(path: string): Promise<Buffer> {
  const handle = await openGuarded(path)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** A name for an open file that leads to it whatever happens to its own. */
function handlePath(fd: number): string {
  return `/proc/self/fd/${fd}`
}

/** The entries of a folder, from the handle that was looked at. */
export async function* listGuarded(folder: string): AsyncGenerator<Dirent> {
  const handle = await openGuarded(folder)
  try {
    for await (const entry of await opendir(hasHandlePaths ? handlePath(handle.fd) : folder)) yield entry
  } finally {
    await handle.close()
  }
}

function isOnlyOurs(uid: number): boolean {
  return uid === 0 || uid === (process.geteuid?.() ?? 0)
}

const [othersWrite, sticky] = [0o022, 0o1000]

/**
 * Whether nobody but the server's user (and root) can put another file in the place of `path`: every folder above it is
 * theirs and writable for them alone. In a folder like `/tmp` only the owner of an entry can.
 */
function isSettled(path: string): boolean {
  let entry = path
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const status = lstatSync(folder)
    if (!status.isDirectory() || !isOnlyOurs(status.uid)) return false
    if ((status.mode & othersWrite) !== 0) {
      if ((status.mode & sticky) === 0 || !isOnlyOurs(lstatSync(entry).uid)) return false
    }
    if (folder === dirname(folder)) return true
    entry = folder
  }
}

/**
 * The real path of a file that may be handed on by name, since nobody can change where it leads; undefined where
 * somebody can, and it has to be copied first. Throws `Failure` as `openGuarded` does.
 */
export function findSettledPath(path: string): string | undefined {
  const guard = currentGuard()
  const real = realpathSync(path)
  if (guard === undefined || isOwn(guard, resolve(path))) return real
  if (!isSettled(real)) return undefined
  if (!isAllowed(path, real)) throw refusal(path)
  return real
}

/** Copies a file, or a folder with what is in it, by the handles that were looked at; a clone where the file system has them. */
export async function copyGuarded(path: string, target: string): Promise<void> {
  const handle = await openGuarded(path)
  try {
    if ((await handle.stat()).isDirectory()) {
      await mkdir(target)
      for await (const entry of listGuarded(path))
        if (!entry.isSymbolicLink()) await copyGuarded(join(path, entry.name), join(target, entry.name))
    } else {
      const source = hasHandlePaths ? handlePath(handle.fd) : path
      await copyFile(source, target, constants.COPYFILE_FICLONE)
    }
  } finally {
    await handle.close()
  }
}

/** As `copyGuarded`, of a file alone. */
export function copyGuardedSync(path: string, target: string): void {
  const fd = openGuardedSync(path)
  try {
    copyFileSync(hasHandlePaths ? handlePath(fd) : path, target, constants.COPYFILE_FICLONE)
  } finally {
    closeSync(fd)
  }
}
