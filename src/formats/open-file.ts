import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { openGuarded } from '../core/files/guarded-files.ts'
import type { ReadAt } from './byte-window.ts'
import { FormatError } from './format.ts'

/** A file open for reading; the caller must close it. */
export interface OpenFile {
  size: number
  /** File descriptor for synchronous reads of small pieces. */
  fd: number
  read: ReadAt
  close(): Promise<void>
}

export interface OpenFileOptions {
  /** True to read synchronously: faster for many small reads outside of the main thread. */
  isSync?: boolean
}

/**
 * Opens a regular file for reading; `signal` stops later reads. Throws `FormatError` if it cannot be opened.
 */
export async function openFile(
  path: string,
  signal: AbortSignal,
  { isSync = false }: OpenFileOptions = {},
): Promise<OpenFile> {
  signal.throwIfAborted()
  let handle: FileHandle
  try {
    handle = await openGuarded(path)
  } catch (cause) {
    throw new FormatError(`The file cannot be opened: ${path}`, { code: 'unreadable-file', cause })
  }
  const status = await handle.stat()
  if (!status.isFile()) {
    await handle.close()
    throw new FormatError(`Not a regular file: ${path}`, { code: 'unreadable-file' })
  }
  return {
    size: status.size,
    fd: handle.fd,
    read: async (target, position) => {
      signal.throwIfAborted()
      if (isSync) return readSync(handle.fd, target, 0, target.length, position)
      return (await handle.read(target, 0, target.length, position)).bytesRead
    },
    close: () => handle.close(),
  }
}
