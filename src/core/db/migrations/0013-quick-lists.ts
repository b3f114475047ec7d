import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Makes changed layers, and the states of imports and tasks, visible without reading documents. */
export const quickLists: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.createIndex('layers_look').on('layers').columns(['id', 'version']).execute()
    await db.schema.createIndex('imports_state').on('imports').columns(['state', 'id']).execute()
    await db.schema.createIndex('tasks_state').on('tasks').columns(['state', 'import_id']).execute()
  },
}
