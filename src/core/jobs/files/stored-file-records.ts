import { randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../db/connection.ts'
import { databaseTime } from '../../db/database-time.ts'
import { readLocal } from '../../file-store/folder-store.ts'
import type { StoredFile, StoredFiles } from '../../file-store/stored-files.ts'
import type { FileRecords } from './file-records.ts'
import { aliveMs, endedRecord } from './file-records.ts'
import type { GeneratedFile } from './generated-file.ts'
import { isUnfinished } from './generated-file.ts'

/** Where the files of one kind are stored. */
export interface StoredKind {
  database: Database
  files: StoredFiles
  /** `downloads` or `exports`: the folder in the file store. */
  kind: string
  /** Local folder of files that are being made. */
  folder: string
  /** True if clients are sent to signed addresses. */
  redirects: boolean
}

const aliveSeconds = aliveMs / 1000

/** Records of created files in the catalogue, and the files in the file store, so that any server lists and sends them. */
export class StoredFileRecords<Made extends GeneratedFile>
  implements Pick<FileRecords<Made>, keyof FileRecords<Made>>
{
  readonly #kind: StoredKind

  constructor(kind: StoredKind) {
    this.#kind = kind
  }

  newId(): string {
    return randomBytes(16).toString('hex')
  }

  filePath({ id, format }: Pick<GeneratedFile, 'id' | 'format'>): string {
    return join(this.#kind.folder, `${id}.${format}`)
  }

  workPath({ id }: Pick<GeneratedFile, 'id'>): string {
    return join(this.#kind.folder, `${id}.work`)
  }

  async save(record: Made): Promise<void> {
    const { database, kind } = this.#kind
    const row = { document: JSON.stringify(record), seen_at: databaseTime(database.kind) }
    await database.kysely
      .insertInto('generated_files')
      .values({ id: record.id, kind, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  }

  /** Stores the finished file and removes the local one. */
  async keep(record: Pick<GeneratedFile, 'id' | 'format'>, signal: AbortSignal): Promise<void> {
    const { files, kind } = this.#kind
    const path = this.filePath(record)
    const { mtimeMs } = await stat(path)
    const file = { folder: kind, name: nameOf(record), modifiedMs: mtimeMs }
    await files.write(file, readLocal(path), signal)
    await rm(path, { force: true })
  }

  findStored(record: Pick<GeneratedFile, 'id' | 'format'>): Promise<StoredFile | undefined> {
    return this.#kind.files.find(this.#kind.kind, nameOf(record))
  }

  async find(id: string): Promise<Made | undefined> {
    const row = await this.#select().where('id', '=', id).executeTakeFirst()
    return row === undefined ? undefined : toRecord<Made>(row)
  }

  async list(): Promise<Made[]> {
    return (await this.#select().execute()).map((row) => toRecord<Made>(row))
  }

  async count(): Promise<number> {
    return (await this.list()).length
  }

  async remove(id: string): Promise<void> {
    const { database, files, kind } = this.#kind
    const record = await this.find(id)
    if (record === undefined) return
    await database.kysely.deleteFrom('generated_files').where('id', '=', id).execute()
    await files.remove(kind, nameOf(record))
    for (const path of [this.filePath(record), this.workPath(record)])
      await rm(path, { recursive: true, force: true })
  }

  /** Removes local files that nobody makes, and stored files without a record. */
  async removeStrays(): Promise<void> {
    const { files, kind, folder } = this.#kind
    const records = await this.list()
    const unfinished = new Set(records.filter(isUnfinished).map(({ id }) => id))
    for (const name of await readdir(folder).catch((): string[] => [])) {
      const found = await stat(join(folder, name)).catch(() => undefined)
      const isYoung = found !== undefined && Date.now() - found.mtimeMs < aliveMs
      if (!unfinished.has(name.slice(0, 32)) && !isYoung)
        await rm(join(folder, name), { recursive: true, force: true })
    }
    const ids = new Set(records.map(({ id }) => id))
    for (const { name } of await files.list(kind))
      if (!ids.has(name.slice(0, 32))) await files.remove(kind, name)
  }

  async sizeBytes(): Promise<number> {
    const stored = await this.#kind.files.list(this.#kind.kind)
    return stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  }

  #select() {
    const { database, kind } = this.#kind
    return database.kysely
      .selectFrom('generated_files')
      .select((row) => [
        'document',
        row
          .case()
          .when('seen_at', '<', databaseTime(database.kind, -aliveSeconds))
          .then(1)
          .else(0)
          .end()
          .as('is_silent'),
      ])
      .where('kind', '=', kind)
  }
}

function nameOf({ id, format }: Pick<GeneratedFile, 'id' | 'format'>): string {
  return `${id}.${format}`
}

function toRecord<Made extends GeneratedFile>(row: { document: string; is_silent: number }): Made {
  const record = JSON.parse(row.document) as Made
  return isUnfinished(record) && Number(row.is_silent) === 1 ? endedRecord(record) : record
}
