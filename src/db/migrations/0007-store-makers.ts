import type { Kysely, Migration } from 'kysely'

/** Who gave a store its connection: a role; null for the server itself, and before this was kept. */
export const storeMakers: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('stores').addColumn('made_by', 'text').execute()
  },
}
