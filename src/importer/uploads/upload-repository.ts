import { randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Database, Queryable } from '../../core/db/connection.ts'
import { databaseTime } from '../../core/db/database-time.ts'
import type { Tables } from '../../core/db/tables.ts'
import type { UploadRecord, UploadState } from './upload-record.ts'
import { keptMs } from './upload-record.ts'

const leaseSeconds = 15

/** A stored part of an upload. */
export interface UploadPart {
  start: number
  sizeBytes: number
  key: string
}

/** Rows of uploads and their parts. */
export class UploadRepository {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async insert(announced: Omit<UploadRecord, 'id'>): Promise<UploadRecord> {
    const record = { id: randomBytes(16).toString('hex'), ...announced }
    await this.#kysely
      .insertInto('uploads')
      .values({
        id: record.id,
        owner: record.owner,
        length_bytes: record.lengthBytes,
        document: JSON.stringify(record),
        changed_at: record.createdAt,
        writer: null,
        writer_until: null,
      })
      .execute()
    return record
  }

  async find(id: string): Promise<UploadState | undefined> {
    const row = await this.#kysely.selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirst()
    return row === undefined ? undefined : this.#toState(row)
  }

  async list(owner?: string): Promise<UploadState[]> {
    let query = this.#kysely.selectFrom('uploads').selectAll()
    if (owner !== undefined) query = query.where('owner', '=', owner)
    const rows = await query.execute()
    return Promise.all(rows.map((row) => this.#toState(row)))
  }

  /** Number of uploads of an owner, and announced bytes of all. */
  async total(owner: string): Promise<{ ofOwner: number; lengthBytes: number }> {
    const rows = await this.#kysely
      .selectFrom('uploads')
      .select((row) => [
        'owner',
        row.fn.countAll<number>().as('count'),
        row.fn.sum<number>('length_bytes').as('bytes'),
      ])
      .groupBy('owner')
      .execute()
    return {
      ofOwner: Number(rows.find((one) => one.owner === owner)?.count ?? 0),
      lengthBytes: rows.reduce((sum, { bytes }) => sum + Number(bytes), 0),
    }
  }

  async listParts(db: Queryable, id: string): Promise<UploadPart[]> {
    const rows = await db
      .selectFrom('upload_parts')
      .select(['start', 'size_bytes', 'key'])
      .where('upload_id', '=', id)
      .orderBy('start')
      .execute()
    return rows.map((row) => ({ start: Number(row.start), sizeBytes: Number(row.size_bytes), key: row.key }))
  }

  /** Adds a part if `writer` still has the upload, within the transaction that makes its file ready. */
  async insertPart(db: Queryable, id: string, part: UploadPart, writer: string): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('uploads')
      .set({ changed_at: databaseTime(this.#database.kind) })
      .where('id', '=', id)
      .where('writer', '=', writer)
      .executeTakeFirst()
    if (Number(numUpdatedRows) !== 1) return false
    await db
      .insertInto('upload_parts')
      .values({ upload_id: id, start: part.start, size_bytes: part.sizeBytes, key: part.key })
      .execute()
    return true
  }

  /** Makes `writer` the only writer for 15 s, by the database's time; false if another one writes. */
  async lock(id: string, writer: string): Promise<boolean> {
    const { kind } = this.#database
    const { numUpdatedRows } = await this.#kysely
      .updateTable('uploads')
      .set({ writer, writer_until: databaseTime(kind, leaseSeconds) })
      .where('id', '=', id)
      .where((row) =>
        row.or([
          row('writer', 'is', null),
          row('writer', '=', writer),
          row('writer_until', '<', databaseTime(kind)),
        ]),
      )
      .executeTakeFirst()
    return Number(numUpdatedRows) === 1
  }

  async unlock(id: string, writer: string, at: string): Promise<void> {
    await this.#kysely
      .updateTable('uploads')
      .set({ writer: null, writer_until: null, changed_at: at })
      .where('id', '=', id)
      .where('writer', '=', writer)
      .execute()
  }

  async delete(id: string): Promise<void> {
    await this.#database.transaction(async (db) => {
      await db.deleteFrom('upload_parts').where('upload_id', '=', id).execute()
      await db.deleteFrom('uploads').where('id', '=', id).execute()
    })
  }

  get #kysely() {
    return this.#database.kysely
  }

  async #toState(row: Selectable<Tables['uploads']>): Promise<UploadState> {
    const parts = await this.listParts(this.#kysely, row.id)
    return {
      record: JSON.parse(row.document) as UploadRecord,
      offset: parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      expiresAt: new Date(Date.parse(row.changed_at) + keptMs).toISOString(),
    }
  }
}
