import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Edits of features that are about to be committed by their store, for recovery after a crash. */
export const layerEdits: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('layer_edits')
      .addColumn('edit_id', 'text', (column) => column.primaryKey())
      .addColumn('store_id', 'bigint', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute()
  },
}
