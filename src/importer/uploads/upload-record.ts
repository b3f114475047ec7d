import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A resumable upload, as announced. */
export interface UploadRecord {
  id: string
  /** User who started the upload; only this user may continue it. */
  owner: string
  /** Length of the whole file. */
  lengthBytes: number
  /** A plain file name. */
  name: string
  /**
   * Relative folder path within the folder that the user selected, such as `a/b`; absent for files at the top
   * level.
   */
  folder?: string
  /** Last modification of the client's file, according to the client. */
  modified?: string
  createdAt: string
}

/** Progress of an upload. */
export interface UploadState {
  record: UploadRecord
  /** Number of received bytes. */
  offset: number
  expiresAt: string
}

const idForm = /^[0-9a-f]{32}$/
const recordFile = 'upload.json'
/** Retention of an upload after its last change, in milliseconds. */
export const keptMs = 24 * 3_600_000

/** True if the text has the form of an upload id, which is safe in a path. */
export function isUploadId(text: string): boolean {
  return idForm.test(text)
}

export function dataPath(root: string, id: string): string {
  return join(root, id, 'data')
}

/** Creates an upload, which exists once its record does. */
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

/** Sets the time of the last change. An upload is removed a day after it. */
export async function touch(root: string, id: string, at: Date): Promise<void> {
  await utimes(dataPath(root, id), at, at)
}

/** Returns the state of an upload; undefined if there is none. Counts the bytes that are in the file. */
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

export async function removeResumableUpload(root: string, id: string): Promise<void> {
  await rm(join(root, id), { recursive: true, force: true })
}
