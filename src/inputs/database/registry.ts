import { geopackage } from '../../formats/geopackage/index.ts'
import { sqlite } from '../../formats/index.ts'
import type { DatabaseLocation, DatabaseReader } from './database.ts'
import { fileDatabase } from './file-database.ts'
import { mysql } from './mysql.ts'
import { postgres } from './postgres/postgres.ts'

/** Readers of database types: one line for each. */
export const databaseReaders: readonly DatabaseReader[] = [
  postgres,
  fileDatabase(geopackage, { type: 'geopkg', aliases: ['gpkg', 'geopackage'] }),
  mysql,
  fileDatabase(sqlite, { type: 'sqlite', aliases: ['spatialite'] }),
]

/** Returns the reader for a name (a `dbtype`, or a URL scheme), in any case. */
export function findDatabaseReader(name: string): DatabaseReader | undefined {
  const requested = name.toLowerCase()
  return databaseReaders.find(({ type, aliases }) => type === requested || aliases.includes(requested))
}

/** Returns the reader of a database file with this extension. */
export function findFileReader(extension: string): DatabaseReader | undefined {
  return databaseReaders.find(({ fileExtensions }) => fileExtensions?.includes(extension))
}

/** Returns the reader of a validated address; a missing one is a bug. */
export function getDatabaseReader({ type }: Pick<DatabaseLocation, 'type'>): DatabaseReader {
  const reader = findDatabaseReader(type)
  if (reader === undefined) throw new Error(`Databases of type "${type}" are not supported`)
  return reader
}

/** True if a database is a file. */
export function isFileDatabase(location: Pick<DatabaseLocation, 'type'>): boolean {
  return getDatabaseReader(location).fileExtensions !== undefined
}

/** Returns the address with defaults; throws `Failure` (`invalid`) if a part is missing. */
export function defaultAddress(location: DatabaseLocation): DatabaseLocation {
  return getDatabaseReader(location).standardPlace(location)
}
