import type { DatabaseReader, DatabaseType } from './database.ts'
import { geoPackageDatabase } from './geopackage.ts'
import { postgres } from './postgres/postgres.ts'

/** What reads each type of database: one line for each. */
export const databaseReaders: Record<DatabaseType, DatabaseReader> = {
  postgis: postgres,
  geopkg: geoPackageDatabase,
}
