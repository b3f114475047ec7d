import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A file that comes in pieces, as it was announced. */
export interface UploadRecord {
  id: string
  /** Who began it, and alone may go on. */
  owner: string
  /** Of the whole file. */
  lengthBytes: number
  /** A plain name of a file. */
  name: string
  /** The folders that it lies in, below what somebody chose; `a/b`, absent where it lies in none. */
  folder?: string
  /** When the client's file was last changed, as the client says. */
  modified?: string
  createdAt: string
}

/** How far it is. */
export interface UploadState {
  record: UploadRecord
  /** So many bytes are there. */
  offset: number
  expiresAt: string
}

const idForm = /^[0-9a-f]{32}$/
const recordFile = 'upload.json'
const keptMs = 24 * 3_600_000

/** Whether this can be the id of an upload, and stand in a path. */
export function isUploadId(text: string): boolean {
  return idForm.test(text)
}

export function dataPath(root: string, id: string): string {
  return join(root, id, 'data')
}

/** Makes an upload; it is there once its record is. */
export async function makeUpload(root: string, announced: Omit<UploadRecord, 'id'>): Promise<UploadRecord> {
  const record = { id: randomBytes(16).toString('hex'), ...announced }
  const folder = join(root, record.id)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(dataPath(root, record.id), '', { mode: 0o600 })
  await touch(root, record.id, new Date(record.createdAt))
  const written = join(folder, `${recordFile}.new`)
  await writeFile(written, JSON.stringify(record), { mode: 0o600, flush: true })
  await rename(written, join(folder, recordFile))
  return record
}

/** The time of its last change, from which an upload is kept for a day. */
export async function touch(root: string, id: string, at: Date): Promise<void> {
  await utimes(dataPath(root, id), at, at)
}

/** What there is of an upload; undefined where there is none. Bytes count as far as they are in the file. */
export async function readUpload(root: string, id: string): Promise<UploadState | undefined> {
  if (!isUploadId(id)) return undefined
  try {
    const record = JSON.parse(await readFile(join(root, id, recordFile), 'utf8')) as UploadRecord
    const { size, mtimeMs } = await stat(dataPath(root, id))
    return { record, offset: size, expiresAt: new Date(mtimeMs + keptMs).toISOString() }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

export async function removeUploadFolder(root: string, id: string): Promise<void> {
  await rm(join(root, id), { recursive: true, force: true })
}
