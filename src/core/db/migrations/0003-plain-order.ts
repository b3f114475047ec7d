import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const ordered: readonly [table: string, column: string][] = [
  ['tasks', 'sort_key'],
  ['granules', 'sort_key'],
  ['granules', 'file_id'],
  ['workspaces', 'name'],
  ['stores', 'name'],
  ['styles', 'name'],
  ['layers', 'workspace'],
  ['layers', 'name'],
  ['users', 'name'],
]

/** Sorts texts by code points, as in SQLite, whatever the collation of a PostgreSQL database. */
export function plainOrder(isSqlite: boolean): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      if (isSqlite) return
      for (const [table, column] of ordered)
        await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} type text collate "C"`.execute(
          db,
        )
    },
  }
}
