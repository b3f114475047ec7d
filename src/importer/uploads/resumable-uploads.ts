import { mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { Failure } from '../../core/errors/errors.ts'
import { giveFile } from '../../core/files/copy-file.ts'
import { findFullDisk } from '../../core/files/full-disk.ts'
import type { Clock } from '../../core/time/clock.ts'
import { claimUploads, pathOfUpload } from './claim-uploads.ts'
import {
  brokenUpload,
  busyUpload,
  maxOfOwner,
  tooLargeUpload,
  tooManyUploads,
  unknownUpload,
  uploadsFull,
  wrongOffset,
} from './upload-failures.ts'
import { lockUpload } from './upload-lock.ts'
import type { UploadRecord, UploadState } from './upload-record.ts'
import {
  dataPath,
  isUploadId,
  makeUpload,
  readUpload,
  removeResumableUpload,
  touch,
} from './upload-record.ts'
import { writePiece } from './write-piece.ts'

/** Folder and limits of uploads. */
export interface UploadsOptions {
  /** A folder of their own, on the same disk as the uploads of imports. */
  root: string
  clock: Clock
  limits: { maxUploadBytes: number; maxWaitingBytes: number }
}

/** Properties of a new upload. */
export interface NewUpload {
  owner: string
  name: string
  lengthBytes: number
  /** Relative folder path such as `a/b`; the caller validates it. */
  folder?: string
  modified?: string
}

const halfMadeMs = 3_600_000

/** Resumable uploads, in a folder or in the file store. */
export type Uploads = Pick<
  ResumableUploads,
  'maxBytes' | 'create' | 'get' | 'list' | 'write' | 'remove' | 'claim' | 'place' | 'release' | 'sweep'
>

/**
 * Resumable uploads: files sent in pieces, which continue at the last received byte after a broken connection
 * or a kill. Each upload is a folder with a record and the file, so that all servers with the same data
 * directory see the same state.
 */
export class ResumableUploads {
  readonly #needs: UploadsOptions
  /** Owners and announced sizes by id, cached from records that do not change. */
  readonly #announced = new Map<string, { owner: string; lengthBytes: number }>()

  constructor(needs: UploadsOptions) {
    this.#needs = needs
  }

  get maxBytes(): number {
    return this.#needs.limits.maxUploadBytes
  }

  /** Throws `Failure`: `upload-too-large`, `too-many-uploads`, `uploads-full`. */
  async create(newUpload: NewUpload): Promise<UploadState> {
    const { root, clock, limits } = this.#needs
    const { owner, lengthBytes } = newUpload
    if (lengthBytes > limits.maxUploadBytes) throw tooLargeUpload(limits.maxUploadBytes)
    await this.#lookAround()
    const all = [...this.#announced.values()]
    if (all.filter((one) => one.owner === owner).length >= maxOfOwner) throw tooManyUploads()
    const waiting = all.reduce((sum, one) => sum + one.lengthBytes, 0)
    if (waiting + lengthBytes > limits.maxWaitingBytes) throw uploadsFull(limits.maxWaitingBytes)
    const createdAt = clock.now().toISOString()
    const record = await makeUpload(root, { ...newUpload, createdAt })
    this.#announced.set(record.id, { owner, lengthBytes })
    return this.get(record.id, owner)
  }

  /** Throws `Failure` (`unknown-upload`) if the owner has no such upload. */
  async get(id: string, owner: string): Promise<UploadState> {
    const found = await readUpload(this.#needs.root, id)
    if (found === undefined || found.record.owner !== owner || this.#isOver(found)) throw unknownUpload(id)
    return found
  }

  /** Lists the uploads of an owner, oldest first. */
  async list(owner: string): Promise<UploadState[]> {
    const ids = await this.#ids()
    const found = await Promise.all(ids.map((id) => readUpload(this.#needs.root, id)))
    return found
      .filter((one) => one !== undefined)
      .filter((one) => one.record.owner === owner && !this.#isOver(one))
      .sort((a, b) => (a.record.createdAt < b.record.createdAt ? -1 : 1))
  }

  /**
   * Receives the piece that begins at `offset`; bytes received before an interruption remain. Throws
   * `Failure`: `unknown-upload`, `upload-busy` while another piece is being received, `wrong-offset`,
   * `upload-too-large`, `disk-full`, `upload-broken`.
   */
  async write(
    id: string,
    owner: string,
    { offset, source }: { offset: number; source: Readable },
  ): Promise<UploadState> {
    const { root, clock } = this.#needs
    await this.get(id, owner)
    const unlock = await lockUpload(join(root, id))
    if (unlock === undefined) throw busyUpload(id)
    try {
      const { record, offset: there } = await this.get(id, owner)
      if (there !== offset) throw wrongOffset(there, offset)
      const piece = { path: dataPath(root, id), offset, maxBytes: record.lengthBytes - offset }
      await writePiece(source, piece).catch((error: unknown) => {
        throw error instanceof Failure ? error : (findFullDisk(error) ?? brokenUpload(error))
      })
    } finally {
      await touch(root, id, clock.now()).catch(() => undefined)
      await unlock()
    }
    return this.get(id, owner)
  }

  async remove(id: string, owner: string): Promise<void> {
    await this.get(id, owner)
    const unlock = await lockUpload(join(this.#needs.root, id))
    if (unlock === undefined) throw busyUpload(id)
    try {
      await this.#remove(id)
    } finally {
      await unlock()
    }
  }

  /**
   * Returns complete uploads of an owner by their ids. Throws `Failure`: `unknown-upload`,
   * `upload-incomplete`, `duplicate-file`.
   */
  async claim(ids: readonly string[], owner: string): Promise<UploadRecord[]> {
    return claimUploads(ids, (id) => this.get(id, owner))
  }

  /**
   * Links the files into a folder under their names and relative paths, without copying. They remain uploads
   * until `release`, so that nothing is lost if the server crashes in between.
   */
  async place(records: readonly UploadRecord[], folder: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o750 })
    for (const record of records) {
      const path = join(folder, pathOfUpload(record))
      await mkdir(dirname(path), { recursive: true, mode: 0o750 })
      await giveFile(dataPath(this.#needs.root, record.id), path)
    }
  }

  /** Removes the uploads after their files have been taken over. */
  async release(records: readonly UploadRecord[]): Promise<void> {
    for (const { id } of records) await this.#remove(id)
  }

  /** Removes uploads without activity for a day, and incomplete folders left by a killed process. */
  async sweep(): Promise<void> {
    const { root, clock } = this.#needs
    const now = clock.now().getTime()
    for (const id of await readdir(root).catch(() => [])) {
      const found = isUploadId(id) ? await readUpload(root, id) : undefined
      const isHalf = found === undefined && now - (await changedAt(join(root, id))) > halfMadeMs
      if (isHalf || (found !== undefined && this.#isOver(found))) await this.#remove(id)
    }
  }

  #isOver({ expiresAt }: UploadState): boolean {
    return expiresAt <= this.#needs.clock.now().toISOString()
  }

  async #remove(id: string): Promise<void> {
    this.#announced.delete(id)
    await removeResumableUpload(this.#needs.root, id)
  }

  async #ids(): Promise<string[]> {
    await mkdir(this.#needs.root, { recursive: true, mode: 0o750 })
    return (await readdir(this.#needs.root)).filter(isUploadId)
  }

  /** Other servers create and remove uploads too. */
  async #lookAround(): Promise<void> {
    const ids = new Set(await this.#ids())
    for (const id of this.#announced.keys()) if (!ids.has(id)) this.#announced.delete(id)
    for (const id of ids) {
      if (this.#announced.has(id)) continue
      const found = await readUpload(this.#needs.root, id)
      if (found !== undefined) this.#announced.set(id, found.record)
    }
  }
}

async function changedAt(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  return found?.mtimeMs ?? 0
}
