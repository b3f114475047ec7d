import type { Kysely, Migration } from 'kysely'

/** Layers count their changes, remember what their data looked like outside, and may be public by themselves. */
export const layerVersions: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('layers')
      .addColumn('version', 'bigint', (column) => column.notNull().defaultTo(1))
      .execute()
    await db.schema
      .alterTable('layers')
      .addColumn('version_cause', 'text', (column) => column.notNull().defaultTo('import'))
      .execute()
    await db.schema.alterTable('layers').addColumn('seen_state', 'text').execute()
    await db.schema.alterTable('layers').addColumn('is_public', 'integer').execute()
  },
}
