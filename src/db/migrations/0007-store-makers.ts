import type { Kysely, Migration } from 'kysely'

/**
 * Who set the connection of a store: a role; null for the server itself, and for stores from before this
 * column existed.
 */
export const storeMakers: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('stores').addColumn('made_by', 'text').execute()
  },
}
