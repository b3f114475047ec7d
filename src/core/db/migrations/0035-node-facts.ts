import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds to each server the schema version that its program knows, and how far its clock is off. */
export const nodeFacts: Migration = {
  up: async (db: Kysely<unknown>) => {
    const add = (name: string, fallback: number) =>
      db.schema
        .alterTable('nodes')
        .addColumn(name, 'integer', (column) => column.notNull().defaultTo(fallback))
        .execute()
    await add('schema_version', 1)
    await add('clock_skew_ms', 0)
  },
}
