import { stat } from 'node:fs/promises'
import type { Database } from '../../db/connection.ts'
import type { FileStore } from '../../file-store/file-store.ts'
import { readLocal } from '../../file-store/folder-store.ts'
import type { StoredFile, StoredFiles } from '../../file-store/stored-files.ts'
import { type FileFolder, nameOf } from './file-folder.ts'
import type { GeneratedFile } from './generated-file.ts'
import type { AttemptPaths, FileName, ResultFiles, SaveRecord } from './result-files.ts'

/** Storage of finished files where servers share no disk. */
export interface ResultStore {
  files: StoredFiles
  /** True if clients are sent to signed addresses. */
  redirects: boolean
}

/** A finished file in the file store. */
export interface StoredResult {
  file: StoredFile
  store: FileStore
  /** True if clients are sent to a signed address. */
  redirects: boolean
}

/** Finished files in the file store, which any server reads; attempts are in a folder of this server. */
export class StoredResults implements ResultFiles {
  readonly #database: Database
  readonly #store: ResultStore
  readonly #collection: string
  readonly #folder: FileFolder

  constructor(database: Database, store: ResultStore, collection: string, folder: FileFolder) {
    this.#database = database
    this.#store = store
    this.#collection = collection
    this.#folder = folder
  }

  newId(): string {
    return this.#folder.newId()
  }

  filePath(file: FileName): string {
    return this.#folder.filePath(file)
  }

  beginAttempt(file: FileName): Promise<AttemptPaths> {
    return this.#folder.beginAttempt(file)
  }

  /** Writes the file to the store; one transaction makes the file ready and saves the record with its key. */
  async complete(
    { path }: AttemptPaths,
    file: FileName,
    save: SaveRecord,
    signal: AbortSignal,
  ): Promise<void> {
    const { files } = this.#store
    const { mtimeMs } = await stat(path)
    const named = { folder: this.#collection, name: nameOf(file), modifiedMs: mtimeMs }
    const written = await files.begin(named, readLocal(path), signal)
    const isSaved = await this.#database.transaction(async (db) => {
      await files.finish(db, written)
      return save({ db, fileKey: written.key })
    })
    if (!isSaved) await files.remove(this.#collection, written.name)
    await files.removeObjects(this.#collection)
  }

  endAttempt(paths: AttemptPaths): Promise<void> {
    return this.#folder.endAttempt(paths)
  }

  async remove(file: FileName): Promise<void> {
    await this.#store.files.remove(this.#collection, nameOf(file))
    await this.#folder.remove(file)
  }

  async removeStrays(records: readonly GeneratedFile[]): Promise<void> {
    await this.#folder.removeStrays(records)
    await this.#database.kysely
      .updateTable('files')
      .set({ state: 'removed' })
      .where('folder', '=', this.#collection)
      .where('state', '=', 'ready')
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('generated_files').select('id').whereRef('generated_files.file_key', '=', 'files.key'),
          ),
        ),
      )
      .execute()
    await this.#store.files.removeObjects(this.#collection)
  }

  sizeBytes(): Promise<number> {
    return this.#store.files.sizeBytes(this.#collection)
  }

  /** Returns the file with a key; undefined if there is none. */
  async find(key: string): Promise<StoredResult | undefined> {
    const { files, redirects } = this.#store
    const file = await files.findByKey(key)
    return file && { file, store: files.store, redirects }
  }
}
