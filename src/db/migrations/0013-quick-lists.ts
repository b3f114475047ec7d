import type { Kysely, Migration } from 'kysely'

/** Which layers have changed, and which states imports and tasks are in, is seen without their documents. */
export const quickLists: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.createIndex('layers_look').on('layers').columns(['id', 'version']).execute()
    await db.schema.createIndex('imports_state').on('imports').columns(['state', 'id']).execute()
    await db.schema.createIndex('tasks_state').on('tasks').columns(['state', 'import_id']).execute()
  },
}
