import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds the objects of the file store, and uploads that are received in parts by any server. */
export const storedFiles: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('files')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('folder', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('size_bytes', 'bigint', (column) => column.notNull())
      .addColumn('modified_ms', 'bigint', (column) => column.notNull())
      .addColumn('sha256', 'text')
      .addColumn('seen_at', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('files_folder').on('files').columns(['folder', 'name']).execute()
    await db.schema.createIndex('files_state').on('files').columns(['state', 'seen_at']).execute()
    await db.schema
      .createTable('uploads')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('length_bytes', 'bigint', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'text', (column) => column.notNull())
      .addColumn('writer', 'text')
      .addColumn('writer_until', 'text')
      .execute()
    await db.schema
      .createTable('upload_parts')
      .addColumn('upload_id', 'text', (column) => column.notNull())
      .addColumn('start', 'bigint', (column) => column.notNull())
      .addColumn('size_bytes', 'bigint', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('upload_parts_pk', ['upload_id', 'start'])
      .execute()
  },
}
