import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Database } from '../../core/db/connection.ts'
import { Failure } from '../../core/errors/errors.ts'
import { localFailure } from '../../core/file-store/failures.ts'
import type { StoredFiles } from '../../core/file-store/stored-files.ts'
import { claimUploads, pathOfUpload } from './claim-uploads.ts'
import type { NewUpload, Uploads, UploadsOptions } from './resumable-uploads.ts'
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
import { storeParts } from './upload-parts.ts'
import type { UploadRecord, UploadState } from './upload-record.ts'
import { isUploadId } from './upload-record.ts'
import { UploadRepository } from './upload-repository.ts'

const renewMs = 4000

interface StoredUploadsDeps extends Omit<UploadsOptions, 'root'> {
  database: Database
  files: StoredFiles
}

/**
 * Resumable uploads whose parts are files of the file store, so that each piece may reach another server. One request
 * at a time writes to an upload, under a lease by the database's time.
 */
export class StoredUploads implements Uploads {
  readonly #deps: StoredUploadsDeps
  readonly #uploads: UploadRepository

  constructor(deps: StoredUploadsDeps) {
    this.#deps = deps
    this.#uploads = new UploadRepository(deps.database)
  }

  get maxBytes(): number {
    return this.#deps.limits.maxUploadBytes
  }

  async create(newUpload: NewUpload): Promise<UploadState> {
    const { clock, limits } = this.#deps
    const { owner, lengthBytes } = newUpload
    if (lengthBytes > limits.maxUploadBytes) throw tooLargeUpload(limits.maxUploadBytes)
    const total = await this.#uploads.total(owner)
    if (total.ofOwner >= maxOfOwner) throw tooManyUploads()
    if (total.lengthBytes + lengthBytes > limits.maxWaitingBytes) throw uploadsFull(limits.maxWaitingBytes)
    const { id } = await this.#uploads.insert({ ...newUpload, createdAt: clock.now().toISOString() })
    return this.get(id, owner)
  }

  async get(id: string, owner: string): Promise<UploadState> {
    const found = isUploadId(id) ? await this.#uploads.find(id) : undefined
    if (found === undefined || found.record.owner !== owner || this.#isOver(found)) throw unknownUpload(id)
    return found
  }

  async list(owner: string): Promise<UploadState[]> {
    const found = await this.#uploads.list(owner)
    return found
      .filter((one) => !this.#isOver(one))
      .sort((a, b) => (a.record.createdAt < b.record.createdAt ? -1 : 1))
  }

  async write(
    id: string,
    owner: string,
    { offset, source }: { offset: number; source: Readable },
  ): Promise<UploadState> {
    await this.get(id, owner)
    await this.#locked(id, async (writer) => {
      const { record, offset: there } = await this.get(id, owner)
      if (there !== offset) throw wrongOffset(there, offset)
      let start = offset
      const store = async (part: Buffer): Promise<void> => {
        await this.#store(id, start, part, writer)
        start += part.length
      }
      await storeParts(source, record.lengthBytes - offset, store).catch((error: unknown) => {
        throw error instanceof Failure ? error : brokenUpload(error)
      })
    })
    return this.get(id, owner)
  }

  async remove(id: string, owner: string): Promise<void> {
    await this.get(id, owner)
    await this.#locked(id, () => this.#remove(id))
  }

  claim(ids: readonly string[], owner: string): Promise<UploadRecord[]> {
    return claimUploads(ids, (id) => this.get(id, owner))
  }

  async place(records: readonly UploadRecord[], folder: string): Promise<void> {
    for (const record of records) {
      const path = join(folder, pathOfUpload(record))
      await mkdir(dirname(path), { recursive: true, mode: 0o750 })
      const file = createWriteStream(path, { flags: 'wx', mode: 0o640 })
      await pipeline(Readable.from(this.#read(record.id), { objectMode: false }), file).catch(
        async (error: unknown) => {
          if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true })
          throw localFailure(error)
        },
      )
    }
  }

  async release(records: readonly UploadRecord[]): Promise<void> {
    for (const { id } of records) await this.#remove(id)
  }

  async sweep(): Promise<void> {
    for (const upload of await this.#uploads.list())
      if (this.#isOver(upload)) await this.#remove(upload.record.id)
    await this.#deps.files.sweep()
  }

  async *#read(id: string): AsyncGenerator<Uint8Array> {
    for (const { key } of await this.#uploads.listParts(this.#deps.database.kysely, id))
      yield* await this.#deps.files.store.get(key)
  }

  /** Stores a part, then adds it in one transaction if this request still has the upload. */
  async #store(id: string, start: number, part: Buffer, writer: string): Promise<void> {
    const { files, database, clock } = this.#deps
    const file = { folder: folderOf(id), name: String(start), modifiedMs: clock.now().getTime() }
    const written = await files.begin(file, Readable.from([part], { objectMode: false }))
    const isAdded = await database.transaction(async (db) => {
      const added = { start, sizeBytes: part.length, key: written.key }
      if (!(await this.#uploads.insertPart(db, id, added, writer))) return false
      await files.finish(db, written)
      return true
    })
    if (!isAdded) throw busyUpload(id)
  }

  async #locked(id: string, work: (writer: string) => Promise<void>): Promise<void> {
    const writer = randomBytes(16).toString('hex')
    if (!(await this.#uploads.lock(id, writer))) throw busyUpload(id)
    const timer = setInterval(() => void this.#uploads.lock(id, writer).catch(() => false), renewMs).unref()
    try {
      await work(writer)
    } finally {
      clearInterval(timer)
      await this.#uploads.unlock(id, writer, this.#deps.clock.now().toISOString()).catch(() => undefined)
    }
  }

  async #remove(id: string): Promise<void> {
    await this.#uploads.delete(id)
    await this.#deps.files.remove(folderOf(id))
  }

  #isOver({ expiresAt }: UploadState): boolean {
    return expiresAt <= this.#deps.clock.now().toISOString()
  }
}

function folderOf(id: string): string {
  return `uploads/${id}`
}
