import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds sources, which repeat imports, and their runs. */
export const sources = (isSqlite: boolean): Migration => ({
  up: async (db: Kysely<unknown>) => {
    const id = isSqlite ? 'integer primary key autoincrement' : 'bigserial primary key'
    await sql`create table sources (
      id ${sql.raw(id)},
      name text not null unique,
      owner text not null,
      is_enabled integer not null,
      settings text not null,
      secrets text not null,
      next_run text,
      watched text,
      memory text not null,
      check_id bigint,
      created_at text not null,
      updated_at text not null,
      revision integer not null
    )`.execute(db)
    await sql`create table source_runs (
      id ${sql.raw(id)},
      source_id bigint not null references sources (id) on delete cascade,
      trigger_kind text not null,
      due_at text not null,
      not_before text not null,
      started_at text,
      ended_at text,
      outcome text,
      attempts integer not null,
      lease_owner text,
      lease_until text,
      document text not null
    )`.execute(db)
    await sql`create index source_runs_of on source_runs (source_id, id)`.execute(db)
    await sql`create index source_runs_open on source_runs (source_id, id) where ended_at is null`.execute(db)
  },
})
