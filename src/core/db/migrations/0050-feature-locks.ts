import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds locks of features, which WFS clients hold while they edit. */
export const featureLocks: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('feature_locks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('user_name', 'text', (column) => column.notNull())
      .addColumn('seconds', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('locked_features')
      .addColumn('layer_id', 'bigint', (column) =>
        column.notNull().references('layers.id').onDelete('cascade'),
      )
      .addColumn('feature_id', 'text', (column) => column.notNull())
      .addColumn('lock_id', 'text', (column) =>
        column.notNull().references('feature_locks.id').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint('locked_features_key', ['layer_id', 'feature_id'])
      .execute()
    await db.schema.createIndex('locked_features_lock').on('locked_features').column('lock_id').execute()
  },
}
