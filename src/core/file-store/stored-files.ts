import { createHash, randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Database, Queryable } from '../db/connection.ts'
import { databaseTime } from '../db/database-time.ts'
import type { Tables } from '../db/tables.ts'
import { conflict } from '../errors/errors.ts'
import type { FileStore } from './file-store.ts'

/** A complete file of the store, by its folder and its path within it. */
export interface StoredFile {
  key: string
  folder: string
  name: string
  sizeBytes: number
  /** Milliseconds since 1970. */
  modifiedMs: number
  sha256?: string
}

/** Name and origin of a file to write. */
export interface NewStoredFile {
  folder: string
  name: string
  modifiedMs: number
  mediaType?: string
}

/**
 * Interval at which a server reports that it is writing an object; an object without reports for
 * `goneSeconds` is removed.
 */
const seenEveryMs = 20_000
const goneSeconds = 15 * 60
const rowsAtOnce = 500

/**
 * Files in the file store with their rows in the catalogue. The rows decide which objects exist: an object is
 * written under a random key with the state `writing`; then one transaction sets it to `ready` and replaces
 * the previous file of its name. An object in the state `removed` is deleted at once, or by the next sweep if
 * that fails.
 */
export class StoredFiles {
  readonly #database: Database
  readonly store: FileStore

  constructor(database: Database, store: FileStore) {
    this.#database = database
    this.store = store
  }

  /** Writes a file, replacing one of the same name. If it throws, the former file is unchanged. */
  async write(
    file: NewStoredFile,
    source: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<StoredFile> {
    const written = await this.begin(file, source, signal)
    await this.#database.transaction((db) => this.finish(db, written))
    await this.removeObjects(file.folder)
    return written
  }

  /** Writes the object of a file; the caller makes it ready with `finish`, or leaves it to the sweep. */
  async begin(
    { folder, name, modifiedMs, mediaType }: NewStoredFile,
    source: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<StoredFile> {
    const key = newKey(folder, name)
    const { kysely, kind } = this.#database
    const row = { key, folder, name, state: 'writing', size_bytes: 0, modified_ms: Math.floor(modifiedMs) }
    await kysely
      .insertInto('files')
      .values({ ...row, sha256: null, seen_at: databaseTime(kind) })
      .execute()
    const timer = setInterval(() => void this.#touch(key).catch(() => undefined), seenEveryMs).unref()
    const hash = createHash('sha256')
    try {
      const { sizeBytes } = await this.store.put(key, hashed(source, hash), { signal, mediaType })
      return { key, folder, name, sizeBytes, modifiedMs: Math.floor(modifiedMs), sha256: hash.digest('hex') }
    } catch (error) {
      await this.#markRemoved(key).catch(() => undefined)
      throw error
    } finally {
      clearInterval(timer)
    }
  }

  /** Makes a written file ready, within the transaction of the change that needs it. */
  async finish(db: Queryable, { key, folder, name, sizeBytes, sha256 }: StoredFile): Promise<void> {
    const { numUpdatedRows } = await db
      .updateTable('files')
      .set({ state: 'ready', size_bytes: sizeBytes, sha256: sha256 ?? null })
      .where('key', '=', key)
      .where('state', '=', 'writing')
      .executeTakeFirst()
    if (Number(numUpdatedRows) !== 1)
      throw conflict('file-removed', `The stored file "${name}" was removed while it was written: try again`)
    await db
      .updateTable('files')
      .set({ state: 'removed' })
      .where('folder', '=', folder)
      .where('name', '=', name)
      .where('state', '=', 'ready')
      .where('key', '<>', key)
      .execute()
  }

  async find(folder: string, name: string): Promise<StoredFile | undefined> {
    const row = await this.#ready(folder).where('name', '=', name).executeTakeFirst()
    return row === undefined ? undefined : toFile(row)
  }

  /** Finds the ready file with a key. */
  async findByKey(key: string): Promise<StoredFile | undefined> {
    const row = await this.#database.kysely
      .selectFrom('files')
      .selectAll()
      .where('key', '=', key)
      .where('state', '=', 'ready')
      .executeTakeFirst()
    return row && toFile(row)
  }

  /** Returns the total size of the ready files of a folder. */
  async sizeBytes(folder: string): Promise<number> {
    const { bytes } = await this.#database.kysely
      .selectFrom('files')
      .select(({ fn }) => fn.sum<number | null>('size_bytes').as('bytes'))
      .where('folder', '=', folder)
      .where('state', '=', 'ready')
      .executeTakeFirstOrThrow()
    return Number(bytes ?? 0)
  }

  /** Lists the ready files of a folder by name. */
  async list(folder: string): Promise<StoredFile[]> {
    return (await this.#ready(folder).orderBy('name').execute()).map(toFile)
  }

  /** Lists the folders with ready files. */
  async listFolders(): Promise<string[]> {
    const rows = await this.#database.kysely
      .selectFrom('files')
      .select('folder')
      .distinct()
      .where('state', '=', 'ready')
      .execute()
    return rows.map(({ folder }) => folder)
  }

  /** Removes one file, or all files of a folder. Objects that cannot be removed now are left to the sweep. */
  async remove(folder: string, name?: string): Promise<void> {
    let query = this.#database.kysely
      .updateTable('files')
      .set({ state: 'removed' })
      .where('folder', '=', folder)
      .where('state', '<>', 'removed')
    if (name !== undefined) query = query.where('name', '=', name)
    await query.execute()
    await this.removeObjects(folder)
  }

  /** Removes the objects of removed files of a folder. Errors are left to the sweep. */
  async removeObjects(folder: string): Promise<void> {
    const rows = await this.#database.kysely
      .selectFrom('files')
      .select('key')
      .where('folder', '=', folder)
      .where('state', '=', 'removed')
      .execute()
    await this.#delete(rows.map(({ key }) => key)).catch(() => undefined)
  }

  /** Removes objects of removed files, and those whose server stopped while it wrote them. Returns their number. */
  async sweep(): Promise<number> {
    const { kysely, kind } = this.#database
    await kysely
      .updateTable('files')
      .set({ state: 'removed' })
      .where('state', '=', 'writing')
      .where('seen_at', '<', databaseTime(kind, -goneSeconds))
      .execute()
    const rows = await kysely.selectFrom('files').select('key').where('state', '=', 'removed').execute()
    await this.#delete(rows.map(({ key }) => key))
    return rows.length
  }

  async #delete(keys: string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += rowsAtOnce) {
      const some = keys.slice(at, at + rowsAtOnce)
      await this.store.remove(some)
      await this.#database.kysely
        .deleteFrom('files')
        .where('key', 'in', some)
        .where('state', '=', 'removed')
        .execute()
    }
  }

  #ready(folder: string) {
    return this.#database.kysely
      .selectFrom('files')
      .selectAll()
      .where('folder', '=', folder)
      .where('state', '=', 'ready')
  }

  async #touch(key: string): Promise<void> {
    await this.#database.kysely
      .updateTable('files')
      .set({ seen_at: databaseTime(this.#database.kind) })
      .where('key', '=', key)
      .execute()
  }

  async #markRemoved(key: string): Promise<void> {
    await this.#database.kysely
      .updateTable('files')
      .set({ state: 'removed' })
      .where('key', '=', key)
      .execute()
  }
}

/** Returns a random key; names of archives are part of the key, for operators who list the bucket. */
function newKey(folder: string, name: string): string {
  const key = `${folder}/${randomBytes(16).toString('hex')}`
  return /^[\w-]+\.zip$/.test(name) && folder === 'archives' ? `${key}/${name}` : key
}

async function* hashed(
  source: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk)
    yield chunk
  }
}

function toFile(row: Selectable<Tables['files']>): StoredFile {
  return {
    key: row.key,
    folder: row.folder,
    name: row.name,
    sizeBytes: Number(row.size_bytes),
    modifiedMs: Number(row.modified_ms),
    sha256: row.sha256 ?? undefined,
  }
}
