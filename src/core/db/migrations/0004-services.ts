import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

type Schema = Kysely<unknown>

function withId<T extends string>(table: CreateTableBuilder<T>, isSqlite: boolean) {
  return isSqlite
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
}

/** Monitored services. */
export function services(isSqlite: boolean): Migration {
  return {
    up: async (db: Schema) => {
      await withId(db.schema.createTable('hosts'), isSqlite)
        .addColumn('name', 'text', (column) => column.notNull().unique())
        .addColumn('ip', 'text', (column) => column.notNull())
        .execute()
      await withId(db.schema.createTable('services'), isSqlite)
        .addColumn('name', 'text', (column) => column.notNull().unique())
        .addColumn('type', 'text', (column) => column.notNull())
        .addColumn('host_id', 'bigint', (column) => column.notNull().references('hosts.id'))
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('notes', 'text', (column) => column.notNull())
        .addColumn('is_active', 'integer', (column) => column.notNull())
        .addColumn('check_interval', 'integer', (column) => column.notNull())
        .addColumn('last_check', 'text')
        .addColumn('source', 'text', (column) => column.notNull())
        .addColumn('password', 'text', (column) => column.notNull())
        .execute()
    },
  }
}
