import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds the limits of workspaces; null: no limit. */
export const workspaceQuotas: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const column of ['quota_bytes', 'quota_layers', 'quota_versions'])
      await db.schema.alterTable('workspaces').addColumn(column, 'bigint').execute()
  },
}
