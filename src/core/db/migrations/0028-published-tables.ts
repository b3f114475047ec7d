import type { Kysely, Migration } from 'kysely'

/** Adds the tables of a store that are published as soon as they exist, as JSON of a `Discovery`. */
export const publishedTables: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('stores').addColumn('discovery', 'text').execute()
  },
}
