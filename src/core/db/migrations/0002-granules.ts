import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Granules of mosaic tasks: thousands per task, changed individually. Ordered by path without case. */
export const granules: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('granules')
      .addColumn('import_id', 'bigint', (column) => column.notNull())
      .addColumn('task_id', 'integer', (column) => column.notNull())
      .addColumn('file_id', 'text', (column) => column.notNull())
      .addColumn('sort_key', 'text', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('granules_pkey', ['import_id', 'task_id', 'file_id'])
      .addForeignKeyConstraint(
        'granules_task',
        ['import_id', 'task_id'],
        'tasks',
        ['import_id', 'id'],
        (constraint) => constraint.onDelete('cascade'),
      )
      .execute()
    await sql`create index granules_order on granules (import_id, task_id, sort_key)`.execute(db)
  },
}
