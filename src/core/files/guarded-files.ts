import type { Dirent } from 'node:fs'
import { closeSync, constants, copyFileSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { copyFile, mkdir, open, opendir, readlink, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { invalid } from '../errors/errors.ts'

/**
 * Folders from which files may be read, as real paths. Plain data: each thread and child process of the
 * server receives it.
 */
export interface Guard {
  /**
   * Folders whose contents users may change at any time. Links to targets outside of these folders are
   * refused.
   */
  roots: readonly string[]
  /** Private folders of the server, whose contents are trusted. */
  own: readonly string[]
}

const guardKey = 'terrane.guard'

/** Sets the guard of this process, and of threads and processes that it starts afterwards. */
export function setGuard(guard: Guard | undefined): void {
  setEnvironmentData(guardKey, guard as unknown as Parameters<typeof setEnvironmentData>[1])
}

/** Returns the guard of this process. */
export function currentGuard(): Guard | undefined {
  return getEnvironmentData(guardKey) as unknown as Guard | undefined
}

/** True if a path is the folder or inside it. Compares texts only, without disk access. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

function isOwn(guard: Guard, path: string): boolean {
  return guard.own.some((folder) => isWithin(folder, path))
}

/** True if a file opened as `path`, whose real path is `real`, may be read. */
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
 * Opens a file or folder for reading, then checks the path of the opened handle, so that renaming or linking
 * cannot change what was checked. On systems that do not report the path of a handle (other than Linux) the
 * name is resolved instead, which leaves a race. Throws `Failure` (`path-outside-roots`). A FIFO is opened
 * without waiting.
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

/** Synchronous version of `openGuarded`. The caller must close the descriptor. */
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

/** Reads a small file completely. */
export async function readGuarded(path: string): Promise<Buffer> {
  const handle = await openGuarded(path)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Returns a path of an open file that stays valid if the file is renamed or replaced. */
function handlePath(fd: number): string {
  return `/proc/self/fd/${fd}`
}

/** Lists the entries of a folder through the checked handle. */
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
 * True if only the server's user and root can replace the file at `path`: they own each folder above it, and
 * nobody else can write there. In a sticky folder such as `/tmp` only the owner of an entry can replace it.
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
 * Returns the real path of a file that can be passed on by name because no other user can replace it;
 * undefined if another user can, in which case the file must be copied first. Throws `Failure` like
 * `openGuarded`.
 */
export function findSettledPath(path: string): string | undefined {
  const guard = currentGuard()
  const real = realpathSync(path)
  if (guard === undefined || isOwn(guard, resolve(path))) return real
  if (!isSettled(real)) return undefined
  if (!isAllowed(path, real)) throw refusal(path)
  return real
}

/**
 * Copies a file, or a folder with its contents, through checked handles; uses copy-on-write clones if the
 * file system supports them.
 */
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

/** Synchronous version of `copyGuarded`, for files only. */
export function copyGuardedSync(path: string, target: string): void {
  const fd = openGuardedSync(path)
  try {
    copyFileSync(hasHandlePaths ? handlePath(fd) : path, target, constants.COPYFILE_FICLONE)
  } finally {
    closeSync(fd)
  }
}
