import { open } from 'node:fs/promises'
import { endianness } from 'node:os'
import type { FileLook } from '../file-state.ts'
import { lookAtFile } from '../file-state.ts'

/** The index of a log begins with its header twice, then what of it stands in the file already (SQLite, walformat). */
const headerBytes = 48
const framesAt = 16
const movedAt = 96
const indexBytes = movedAt + 4

/** Whether all that the log holds stands in the file too: then it may go without any change. */
async function isMoved(path: string): Promise<boolean> {
  const index = await open(`${path}-shm`).catch(() => undefined)
  if (index === undefined) return false
  try {
    const bytes = Buffer.alloc(indexBytes)
    const { bytesRead } = await index.read(bytes, 0, indexBytes, 0)
    const isWhole =
      bytesRead === indexBytes &&
      bytes.subarray(0, headerBytes).equals(bytes.subarray(headerBytes, 2 * headerBytes))
    const numberAt = (at: number): number =>
      endianness() === 'LE' ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
    return isWhole && numberAt(framesAt) === numberAt(movedAt)
  } catch {
    return false
  } finally {
    await index.close()
  }
}

/** What a database looks like: its file, and its log as long as that holds something that the file does not. */
export async function lookAtDatabase(path: string): Promise<FileLook> {
  const log = await lookAtFile(`${path}-wal`, { isLog: true })
  const pending = log.text === '-' || (await isMoved(path)) ? undefined : log
  const file = await lookAtFile(path)
  return {
    text: `${file.text} ${pending?.text ?? '-'}`,
    settlesInMs: Math.max(file.settlesInMs, log.settlesInMs),
  }
}
