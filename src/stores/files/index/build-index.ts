import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type DataFile,
  type Format,
  FormatError,
  type LayerDescription,
  type ReadContext,
  type RowAccess,
} from '../../../formats/worker.ts'
import type { RejectedRow } from '../../../geo/batch.ts'
import type { IndexHeader } from './layout.ts'
import { indexVersion } from './layout.ts'
import type { FileStamp } from './stamp.ts'
import { fitsStamp, isUntouched, readIndexHead, readStamp, unsettledMs } from './stamp.ts'
import { IndexWriter } from './write-index.ts'

export interface IndexOrder {
  format: Format
  /** The main file. */
  path: string
  charset?: string
  /** Output path of the index. */
  indexPath: string
}

export interface BuildHooks {
  signal: AbortSignal
  /** Called for unreadable rows. */
  onReject?(reject: RejectedRow): void
  onProgress?(rows: number): void
  /** Maximum wait for a file that is still being written, in milliseconds; default 30 s. */
  patienceMs?: number
}

/**
 * Maximum wait for a folder to stop changing before it counts as constantly changing, and for a file before
 * it is not read.
 */
const [folderPatienceMs, filePatienceMs] = [200, 30_000]
/** Suffix of indexes that are being written. */
const partSuffix = '.part'

function getAccess({ name, rowAccess }: Format): RowAccess {
  if (rowAccess === undefined) throw new Error(`Rows of ${name} are not read one by one`)
  return rowAccess
}

/**
 * Returns the stamp of the files once any later write would change their times. Entries of their folder may
 * change constantly.
 */
async function settledStamp(
  path: string,
  access: RowAccess,
  { signal, patienceMs = filePatienceMs }: BuildHooks,
): Promise<{ stamp: FileStamp; file: DataFile }> {
  const begunMs = performance.now()
  let first: string | undefined
  for (;;) {
    const found = await readStamp(path, access.sidecars)
    const wait = unsettledMs(found.stamp, Date.now())
    if (wait.files === 0 && wait.folder === 0) return found
    const waitedMs = performance.now() - begunMs
    first ??= found.stamp.folder
    if (wait.files === 0 && waitedMs > folderPatienceMs && found.stamp.folder !== first) {
      return { ...found, stamp: { ...found.stamp, folder: '' } }
    }
    if (waitedMs > patienceMs) throw stillWritten(patienceMs)
    await sleep(Math.min(Math.max(wait.files, wait.folder), folderPatienceMs), undefined, { signal })
  }
}

function stillWritten(patienceMs: number): FormatError {
  const text = `The file has been written to for ${patienceMs / 1000} s: import it when that has ended`
  return new FormatError(text, { code: 'file-changed' })
}

/** Returns the first bytes of the files with rows, which must match the stamp. */
async function readHeads(
  access: RowAccess,
  { file, layer, stamp }: { file: DataFile; layer: LayerDescription; stamp: FileStamp },
  context: ReadContext,
): Promise<Record<string, string>> {
  const rows = await access.open(file, layer, context)
  try {
    const heads: Record<string, string> = {}
    for (const [extension, { fd }] of rows.files) {
      const part = stamp.parts.find((one) => one.extension === extension)
      if (part === undefined || !isUntouched(fd, part)) throw changed()
      heads[extension] = readIndexHead(fd)
    }
    return heads
  } finally {
    await rows.close()
  }
}

function changed(): FormatError {
  return new FormatError('The file changed while it was read', { code: 'file-changed' })
}

/**
 * Reads a whole file and writes its index, which gets its final name when complete. Throws `FormatError` if
 * the file cannot be read to its end or changes meanwhile. Unreadable rows are skipped and reported.
 */
export async function buildIndex(order: IndexOrder, hooks: BuildHooks): Promise<IndexHeader> {
  const { format, path, charset, indexPath } = order
  const { signal } = hooks
  const access = getAccess(format)
  const context: ReadContext = charset === undefined ? { signal } : { signal, charset }
  const { stamp, file } = await settledStamp(path, access, hooks)
  const [layer] = await format.describe(file, context)
  if (layer === undefined) throw new FormatError('The file has no layer')
  await mkdir(dirname(indexPath), { recursive: true })
  const partPath = `${indexPath}.${randomBytes(6).toString('hex')}${partSuffix}`
  const fd = openSync(partPath, 'wx', 0o640)
  try {
    const writer = new IndexWriter(fd, layer.schema)
    for await (const { batch, places } of access.scan(file, layer, context)) {
      for (const reject of batch.rejects) hooks.onReject?.(reject)
      writer.add(batch, places)
      hooks.onProgress?.(writer.rowCount)
    }
    const heads = await readHeads(access, { file, layer, stamp }, context)
    if (!(await fitsStamp(path, stamp, access.sidecars))) throw changed()
    const served = { ...layer, featureCount: writer.rowCount }
    const header = writer.finish({ version: indexVersion, stamp, heads, layer: served })
    fsyncSync(fd)
    await rename(partPath, indexPath)
    return header
  } catch (error) {
    await rm(partPath, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}
