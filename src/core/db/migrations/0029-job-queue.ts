import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Makes the next queued job, and other jobs of its key, visible without reading the queue. */
export const jobQueue: Migration = {
  up: async (db: Kysely<unknown>) => {
    await sql`create index jobs_queued on jobs (id) where state = 'queued'`.execute(db)
    await sql`create index jobs_key on jobs (key, id) where key <> ''`.execute(db)
  },
}
