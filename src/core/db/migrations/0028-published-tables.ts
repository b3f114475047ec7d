import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds the tables of a store that are published as soon as they exist, as JSON of a `Discovery`. */
export const publishedTables: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('stores').addColumn('discovery', 'text').execute()
  },
}
