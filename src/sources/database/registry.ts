import type { DatabaseReader, DatabaseType } from './database.ts'
import { fileDatabase } from './file-database.ts'
import { mysql } from './mysql.ts'
import { postgres } from './postgres/postgres.ts'

/** What reads each type of database: one line for each. */
export const databaseReaders: Record<DatabaseType, DatabaseReader> = {
  postgis: postgres,
  geopkg: fileDatabase('GeoPackage'),
  mysql,
  sqlite: fileDatabase('SQLite / Spatialite'),
}
