import type { Kysely, Migration } from 'kysely'

/** Makes changed imports visible without reading documents. */
export const importHistory: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.createIndex('imports_look').on('imports').columns(['id', 'revision']).execute()
  },
}
