import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds the role that set the connection of a store; null for the server itself, and for stores from before
 * this column existed.
 */
export const storeMakers: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('stores').addColumn('made_by', 'text').execute()
  },
}
