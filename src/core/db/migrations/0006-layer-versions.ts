import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds layer versions, recorded external states, and public access settings of layers. */
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
