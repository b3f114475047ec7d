import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds downloads and exports that any server lists and sends. */
export const generatedFiles: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('generated_files')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('seen_at', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('generated_files_kind').on('generated_files').column('kind').execute()
  },
}
