import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds disabling of users. */
export const switchedOffUsers: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('users')
      .addColumn('enabled', 'integer', (column) => column.notNull().defaultTo(1))
      .execute()
  },
}
