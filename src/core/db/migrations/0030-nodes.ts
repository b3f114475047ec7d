import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds the servers that use the catalogue, with the database's time of their last sign of life. */
export const nodes: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('nodes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('pid', 'integer', (column) => column.notNull())
      .addColumn('version', 'text', (column) => column.notNull())
      .addColumn('started_at', 'text', (column) => column.notNull())
      .addColumn('seen_at', 'text', (column) => column.notNull())
      .execute()
  },
}
