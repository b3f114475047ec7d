import type { DatabaseReader, DatabaseType } from './database.ts'
import { fileDatabase } from './file-database.ts'
import { postgres } from './postgres/postgres.ts'

/** What reads each type of database: one line for each. */
export const databaseReaders: Record<DatabaseType, DatabaseReader> = {
  postgis: postgres,
  geopkg: fileDatabase('GeoPackage'),
  sqlite: fileDatabase('SQLite / Spatialite'),
}
