import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

function withId<T extends string>(table: CreateTableBuilder<T>, isSqlite: boolean) {
  return isSqlite
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
}

function ofSubscription<T extends string>(table: CreateTableBuilder<T>, isSqlite: boolean) {
  return withId(table, isSqlite).addColumn('subscription_id', 'bigint', (column) =>
    column.notNull().references('report_subscriptions.id').onDelete('cascade'),
  )
}

/** Monthly usage reports by mail: subscriptions, their receivers, and one delivery for each receiver and month. */
export function reportSubscriptions(isSqlite: boolean): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await withId(db.schema.createTable('report_subscriptions'), isSqlite)
        .addColumn('grouping', 'text', (column) => column.notNull())
        .addColumn('comparison', 'text')
        .addColumn('language', 'text', (column) => column.notNull())
        .addColumn('created_by', 'text', (column) =>
          column.notNull().references('users.name').onDelete('cascade'),
        )
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('last_month', 'text', (column) => column.notNull())
        .execute()
      await ofSubscription(db.schema.createTable('report_receivers'), isSqlite)
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('user_name', 'text', (column) => column.references('users.name').onDelete('cascade'))
        .addColumn('target', 'text', (column) => column.notNull())
        .addUniqueConstraint('report_receivers_target', ['subscription_id', 'kind', 'target'])
        .execute()
      await ofSubscription(db.schema.createTable('report_deliveries'), isSqlite)
        .addColumn('receiver_id', 'bigint', (column) => column.notNull())
        .addColumn('month', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('next_try', 'text', (column) => column.notNull())
        .addColumn('leased_until', 'text')
        .addColumn('error', 'text')
        .addColumn('finished_at', 'text')
        .addUniqueConstraint('report_deliveries_month', ['subscription_id', 'receiver_id', 'month'])
        .execute()
      await db.schema
        .createIndex('report_deliveries_due')
        .on('report_deliveries')
        .columns(['state', 'next_try'])
        .execute()
    },
  }
}
