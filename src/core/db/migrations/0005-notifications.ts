import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

type Schema = Kysely<unknown>

function withId<T extends string>(table: CreateTableBuilder<T>, isSqlite: boolean) {
  return isSqlite
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
}

function ofCheck<T extends string>(table: CreateTableBuilder<T>, isSqlite: boolean) {
  return withId(table, isSqlite).addColumn('check_id', 'bigint', (column) =>
    column.notNull().references('notification_checks.id').onDelete('cascade'),
  )
}

async function createChecks(db: Schema, isSqlite: boolean): Promise<void> {
  await withId(db.schema.createTable('notification_checks'), isSqlite)
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('severity', 'text', (column) => column.notNull())
    .addColumn('is_active', 'integer', (column) => column.notNull())
    .addColumn('grace_seconds', 'bigint', (column) => column.notNull())
    .addColumn('window_seconds', 'bigint', (column) => column.notNull())
    .addColumn('last_send', 'text')
    .addColumn('failing_since', 'text')
    .addColumn('evaluated_to', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute()
  await ofCheck(db.schema.createTable('notification_definitions'), isSqlite)
    .addColumn('metric', 'text', (column) => column.notNull())
    .addColumn('field_option', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .addColumn('threshold', 'text')
    .addUniqueConstraint('notification_definitions_field', ['check_id', 'metric', 'field_option'])
    .execute()
}

async function createDelivery(db: Schema, isSqlite: boolean): Promise<void> {
  await ofCheck(db.schema.createTable('notification_receivers'), isSqlite)
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('user_name', 'text', (column) => column.references('users.name').onDelete('cascade'))
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addUniqueConstraint('notification_receivers_target', ['check_id', 'kind', 'target'])
    .execute()
  await ofCheck(db.schema.createTable('notification_deliveries'), isSqlite)
    .addColumn('receiver_id', 'bigint', (column) => column.notNull())
    .addColumn('receiver', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_try', 'text', (column) => column.notNull())
    .addColumn('leased_until', 'text')
    .addColumn('error', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('finished_at', 'text')
    .execute()
  await db.schema
    .createIndex('notification_deliveries_due')
    .on('notification_deliveries')
    .columns(['state', 'next_try'])
    .execute()
  await db.schema
    .createIndex('notification_deliveries_check')
    .on('notification_deliveries')
    .columns(['check_id', 'created_at'])
    .execute()
}

/** Alert rules with their conditions, receivers, and sent messages. */
export function notifications(isSqlite: boolean): Migration {
  return {
    up: async (db: Schema) => {
      await createChecks(db, isSqlite)
      await createDelivery(db, isSqlite)
    },
  }
}
