import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds maps that users have saved. */
export const savedMaps: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('saved_maps')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.references('users.name').onDelete('set null'))
      .addColumn('is_public', 'integer', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('saved_maps_owner').on('saved_maps').column('owner').execute()
  },
}
