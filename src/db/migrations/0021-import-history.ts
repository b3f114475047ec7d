import type { Kysely, Migration } from 'kysely'

/** Which imports have changed is seen without their documents. */
export const importHistory: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.createIndex('imports_look').on('imports').columns(['id', 'revision']).execute()
  },
}
