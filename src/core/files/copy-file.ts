import { createWriteStream } from 'node:fs'
import { link, rename } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { openGuarded } from './guarded-files.ts'

/** Abort signal and progress callback of a copy. */
export interface CopyHooks {
  signal: AbortSignal
  /** Called after each piece with its number of bytes. */
  onBytes?(bytes: number): void
}

const pieceBytes = 1 << 20

/** Copies a file to a new file in pieces, with progress and cancellation. */
export async function copyFile(from: string, to: string, { signal, onBytes }: CopyHooks): Promise<void> {
  const handle = await openGuarded(from)
  const source = handle.createReadStream({ highWaterMark: pieceBytes })
  if (onBytes !== undefined) source.on('data', (piece) => onBytes(piece.length))
  await pipeline(source, createWriteStream(to, { flags: 'wx', mode: 0o640 }), { signal })
}

/**
 * Creates a second name for a file on the same disk, without copying; moves the file if the disk does not
 * support hard links. Throws the system error if the new name exists.
 */
export async function giveFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    await rename(from, to)
  }
}
