import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import type { BackupEntry } from './manifest.ts'

/** Receives the files of a backup, as a folder or an archive. The caller must call `finish` or `discard`. */
export interface BackupWriter {
  /** Folder on the disk of the target for files that are made before they are added. */
  scratch: string
  add(name: string, bytes: Readable, sizeBytes: number): Promise<BackupEntry>
  /** Gives the backup its name: until then it ends in `.part`. */
  finish(): Promise<void>
  discard(): Promise<void>
}

/** Opens a writer for a folder, or for an archive if the name ends in `.tar`, `.tar.gz` or `.tgz`. */
export async function openBackupWriter(target: string): Promise<BackupWriter> {
  const part = `${target}.part`
  const scratch = `${target}.scratch`
  await rm(part, { recursive: true, force: true })
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  const writer = /\.(tar|tar\.gz|tgz)$/.test(target)
    ? openArchive(part, !target.endsWith('.tar'))
    : openFolder(part)
  const clean = (): Promise<void> => rm(scratch, { recursive: true, force: true })
  return {
    scratch,
    add: writer.add,
    finish: async () => {
      await writer.close()
      await clean()
      await rename(part, target)
    },
    discard: async () => {
      await writer.abort()
      await clean()
      await rm(part, { recursive: true, force: true })
    },
  }
}

interface Sink {
  add: BackupWriter['add']
  close(): Promise<void>
  abort(): Promise<void>
}

/** Counts and hashes bytes on their way; ends after `limit` bytes of a file that still grows. */
function meter(limit: number): { stream: Transform; result(name: string): BackupEntry } {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const piece = chunk.subarray(0, limit - sizeBytes)
      sizeBytes += piece.length
      hash.update(piece)
      done(null, piece)
    },
  })
  return { stream, result: (name) => ({ name, sizeBytes, sha256: hash.digest('hex') }) }
}

function openFolder(part: string): Sink {
  return {
    add: async (name, bytes, sizeBytes) => {
      const path = join(part, name)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const { stream, result } = meter(sizeBytes)
      await pipeline(bytes, stream, createWriteStream(path, { mode: 0o600, flush: true }))
      return result(name)
    },
    close: () => mkdir(part, { recursive: true }).then(() => undefined),
    abort: async () => undefined,
  }
}

function openArchive(part: string, isPacked: boolean): Sink {
  const archive = pack()
  const file = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
  const written = isPacked ? pipeline(archive, createGzip(), file) : pipeline(archive, file)
  written.catch(() => undefined)
  return {
    add: async (name, bytes, sizeBytes) => {
      const { stream, result } = meter(sizeBytes)
      const entry = archive.entry({ name, size: sizeBytes, mode: 0o600 })
      await Promise.race([
        pipeline(bytes, stream, entry),
        written.then(() => Promise.reject(new Error('closed'))),
      ])
      return result(name)
    },
    close: async () => {
      archive.finalize()
      await written
    },
    abort: async () => {
      archive.destroy()
      await written.catch(() => undefined)
    },
  }
}

/** Writes and flushes a small file. */
export async function writeDurably(path: string, text: string, mode: number): Promise<void> {
  await writeFile(path, text, { mode, flush: true })
  const folder = await open(dirname(path))
  await folder.sync().finally(() => folder.close())
}
