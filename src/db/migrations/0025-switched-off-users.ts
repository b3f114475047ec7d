import type { Kysely, Migration } from 'kysely'

/** A user can be switched off, and on again. */
export const switchedOffUsers: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('users')
      .addColumn('enabled', 'integer', (column) => column.notNull().defaultTo(1))
      .execute()
  },
}
