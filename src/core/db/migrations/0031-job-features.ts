import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds priorities, delays, limits of a group and cancellation of jobs; schedules; records of files that jobs
 * create; roles of servers; and failed logins, which all servers count together.
 */
export const jobFeatures: Migration = {
  up: async (db: Kysely<unknown>) => {
    await addJobColumns(db)
    await addJobIndexes(db)
    await addTables(db)
    await sql`alter table nodes add column roles text not null default 'serve,work'`.execute(db)
  },
}

async function addJobColumns(db: Kysely<unknown>): Promise<void> {
  await sql`alter table jobs add column priority integer not null default 0`.execute(db)
  await sql`alter table jobs add column not_before text`.execute(db)
  await sql`alter table jobs add column group_key text not null default ''`.execute(db)
  await sql`alter table jobs add column group_limit integer not null default 0`.execute(db)
  await sql`alter table jobs add column is_canceled integer not null default 0`.execute(db)
}

async function addJobIndexes(db: Kysely<unknown>): Promise<void> {
  await sql`drop index if exists jobs_queued`.execute(db)
  await sql`create index jobs_ready on jobs (priority desc, id) where state = 'queued'`.execute(db)
  await sql`create index jobs_group on jobs (group_key) where state = 'running' and group_key <> ''`.execute(
    db,
  )
  await sql`update jobs set state = 'queued', lease_owner = null, lease_until = null
    where state = 'running' and key <> '' and exists (
      select 1 from jobs as other where other.state = 'running' and other.key = jobs.key and other.id < jobs.id
    )`.execute(db)
  await sql`create unique index jobs_running_key on jobs (key) where state = 'running' and key <> ''`.execute(
    db,
  )
}

async function addTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedules')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('next_at', 'text', (column) => column.notNull())
    .addColumn('last_at', 'text')
    .execute()
  await db.schema
    .createTable('generated_files')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('collection', 'text', (column) => column.notNull())
    .addColumn('layer_id', 'integer', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('job_id', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .execute()
  await sql`create index generated_files_owner on generated_files (collection, state, owner)`.execute(db)
  await db.schema
    .createTable('failed_logins')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('last_at', 'text', (column) => column.notNull())
    .execute()
  await sql`create index failed_logins_last_at on failed_logins (last_at)`.execute(db)
}
