import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds the keys of generated files in the file store. */
export const generatedFileKeys: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('generated_files').addColumn('file_key', 'text').execute()
  },
}
