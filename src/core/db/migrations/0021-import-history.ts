import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Makes changed imports visible without reading documents. */
export const importHistory: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.createIndex('imports_look').on('imports').columns(['id', 'revision']).execute()
  },
}
