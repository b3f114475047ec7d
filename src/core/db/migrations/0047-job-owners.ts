import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds the server that may claim a job before the others, the server that ran it last, and the code of its failure.
 */
export const jobOwners: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const column of ['preferred_owner', 'preferred_until', 'ran_on', 'error_code'])
      await db.schema.alterTable('jobs').addColumn(column, 'text').execute()
  },
}
