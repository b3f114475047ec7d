import type { Selectable } from 'kysely'
import type { Database, Queryable } from '../../db/connection.ts'
import type { Tables } from '../../db/tables.ts'
import type { GeneratedFile } from './generated-file.ts'

const idForm = /^[0-9a-f]{32}$/

/** A record with the job that creates its file. */
export interface FileRow<Made extends GeneratedFile> {
  record: Made
  jobId: number
  /** Key of the finished file in the file store; null if it is not there. */
  fileKey: string | null
}

function toRow<Made extends GeneratedFile>(row: Selectable<Tables['generated_files']>): FileRow<Made> {
  return { record: JSON.parse(row.document) as Made, jobId: Number(row.job_id), fileKey: row.file_key }
}

/** Records of created files in the catalogue; those of one collection. */
export class FileRecords<Made extends GeneratedFile> {
  readonly #database: Pick<Database, 'kysely'>
  readonly #collection: string

  constructor(database: Pick<Database, 'kysely'>, collection: string) {
    this.#database = database
    this.#collection = collection
  }

  async insert(
    db: Queryable,
    record: Made,
    { jobId, owner }: { jobId: number; owner: string },
  ): Promise<void> {
    const values = {
      id: record.id,
      collection: this.#collection,
      layer_id: record.layerId,
      owner,
      state: record.state,
      job_id: jobId,
      expires_at: record.expiresAt,
      document: JSON.stringify(record),
    }
    await db.insertInto('generated_files').values(values).execute()
  }

  /** Saves a record, with the key of its file if it was written to the file store; false if it has been removed. */
  async save(record: Made, written?: { db: Queryable; fileKey: string }): Promise<boolean> {
    const values = { state: record.state, document: JSON.stringify(record) }
    const result = await (written?.db ?? this.#database.kysely)
      .updateTable('generated_files')
      .set(written === undefined ? values : { ...values, file_key: written.fileKey })
      .where('id', '=', record.id)
      .executeTakeFirst()
    return Number(result.numUpdatedRows) === 1
  }

  /** Saves a record of a file that is being made, unless another server has completed the file. */
  async saveProgress(record: Made): Promise<void> {
    await this.#database.kysely
      .updateTable('generated_files')
      .set({ state: record.state, document: JSON.stringify(record) })
      .where('id', '=', record.id)
      .where('state', '<>', 'COMPLETE')
      .execute()
  }

  async find(id: string): Promise<FileRow<Made> | undefined> {
    if (!idForm.test(id)) return undefined
    const row = await this.#database.kysely
      .selectFrom('generated_files')
      .selectAll()
      .where('id', '=', id)
      .where('collection', '=', this.#collection)
      .executeTakeFirst()
    return row && toRow<Made>(row)
  }

  async list(): Promise<FileRow<Made>[]> {
    const rows = await this.#database.kysely
      .selectFrom('generated_files')
      .selectAll()
      .where('collection', '=', this.#collection)
      .execute()
    return rows.map((row) => toRow<Made>(row))
  }

  /** Returns the numbers of all records, of waiting ones, and of unfinished ones of an owner. */
  async count(db: Queryable, owner: string): Promise<{ all: number; waiting: number; ofOwner: number }> {
    const rows = await db
      .selectFrom('generated_files')
      .select(['state', 'owner', ({ fn }) => fn.countAll<number>().as('count')])
      .where('collection', '=', this.#collection)
      .groupBy(['state', 'owner'])
      .execute()
    const sum = (isCounted: (row: { state: string; owner: string }) => boolean): number =>
      rows.filter(isCounted).reduce((total, { count }) => total + Number(count), 0)
    return {
      all: sum(() => true),
      waiting: sum(({ state }) => state === 'PENDING'),
      ofOwner: sum((row) => row.owner === owner && (row.state === 'PENDING' || row.state === 'RUNNING')),
    }
  }

  async remove(id: string): Promise<void> {
    await this.#database.kysely
      .deleteFrom('generated_files')
      .where('id', '=', id)
      .where('collection', '=', this.#collection)
      .execute()
  }
}
