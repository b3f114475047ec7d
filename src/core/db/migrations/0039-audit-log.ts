import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

type Schema = Kysely<unknown>

async function createEntries(db: Schema, isSqlite: boolean): Promise<void> {
  const table = db.schema.createTable('audit_entries')
  await (isSqlite
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
  )
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('time', 'text', (column) => column.notNull())
    .addColumn('user_name', 'text')
    .addColumn('via', 'text', (column) => column.notNull())
    .addColumn('address', 'text')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('resource', 'text')
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('request', 'text')
    .execute()
  await db.schema.createIndex('audit_entries_day').on('audit_entries').columns(['day', 'id']).execute()
  await db.schema.createIndex('audit_entries_time').on('audit_entries').columns(['time', 'id']).execute()
}

async function createSeals(db: Schema): Promise<void> {
  await db.schema
    .createTable('audit_seals')
    .addColumn('day', 'text', (column) => column.primaryKey())
    .addColumn('entries', 'integer', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('previous', 'text', (column) => column.notNull())
    .addColumn('seal', 'text', (column) => column.notNull())
    .addColumn('key_name', 'text', (column) => column.notNull())
    .addColumn('sealed_at', 'text', (column) => column.notNull())
    .addColumn('expired_at', 'text')
    .addColumn('expiry_seal', 'text')
    .execute()
}

/** The database refuses changes of entries, and deletions of entries whose day has no expiry. */
async function protectInSqlite(db: Schema): Promise<void> {
  await sql`create trigger audit_entries_unchanged before update on audit_entries
    begin select raise(abort, 'audit entries cannot be changed'); end`.execute(db)
  await sql`create trigger audit_entries_kept before delete on audit_entries
    when not exists (select 1 from audit_seals where day = old.day and expired_at is not null)
    begin select raise(abort, 'audit entries are kept until their day expires'); end`.execute(db)
}

async function protectInPostgres(db: Schema): Promise<void> {
  await sql`create function audit_entries_protect() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'UPDATE' then raise exception 'audit entries cannot be changed'; end if;
      if not exists (select 1 from audit_seals where day = old.day and expired_at is not null) then
        raise exception 'audit entries are kept until their day expires';
      end if;
      return old;
    end $body$`.execute(db)
  await sql`create trigger audit_entries_protected before update or delete on audit_entries
    for each row execute function audit_entries_protect()`.execute(db)
}

/** Adds the audit log, and the seals of its days. */
export function auditLog(isSqlite: boolean): Migration {
  return {
    up: async (db: Schema) => {
      await createEntries(db, isSqlite)
      await createSeals(db)
      await (isSqlite ? protectInSqlite(db) : protectInPostgres(db))
    },
  }
}
