import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds facts that a transaction records for the other servers. */
export const outbox = (isSqlite: boolean): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('outbox')
      .addColumn('id', isSqlite ? 'integer' : 'bigserial', (column) => column.primaryKey())
      .addColumn('node', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('fact', 'text', (column) => column.notNull())
      .addColumn('transaction_id', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('outbox_transaction').on('outbox').column('transaction_id').execute()
  },
})
