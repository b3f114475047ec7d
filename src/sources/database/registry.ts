import { sqlite } from '../../formats/gdal/gdal.ts'
import { geopackage } from '../../formats/geopackage/geopackage.ts'
import type { DatabasePlace, DatabaseReader } from './database.ts'
import { fileDatabase } from './file-database.ts'
import { mysql } from './mysql.ts'
import { postgres } from './postgres/postgres.ts'

/** What reads each type of database: one line for each. */
export const databaseReaders: readonly DatabaseReader[] = [
  postgres,
  fileDatabase(geopackage, { type: 'geopkg', aliases: ['gpkg', 'geopackage'] }),
  mysql,
  fileDatabase(sqlite, { type: 'sqlite', aliases: ['spatialite'] }),
]

/** The reader that a name (a `dbtype`, the scheme of an address) means, in any letter case. */
export function findDatabaseReader(name: string): DatabaseReader | undefined {
  const wanted = name.toLowerCase()
  return databaseReaders.find(({ type, aliases }) => type === wanted || aliases.includes(wanted))
}

/** The reader of a file with this extension, of a database that is a file. */
export function findFileReader(extension: string): DatabaseReader | undefined {
  return databaseReaders.find(({ fileExtensions }) => fileExtensions?.includes(extension))
}

/** The reader of a place that was taken before; that there is none is a bug. */
export function getDatabaseReader({ type }: Pick<DatabasePlace, 'type'>): DatabaseReader {
  const reader = findDatabaseReader(type)
  if (reader === undefined) throw new Error(`Nothing reads databases of the type "${type}"`)
  return reader
}

/** Whether a database is a file. */
export function isFileDatabase(place: Pick<DatabasePlace, 'type'>): boolean {
  return getDatabaseReader(place).fileExtensions !== undefined
}

/** The place with what is usual where nothing was said; throws `Failure` (`invalid`) where something is missing. */
export function standardPlace(place: DatabasePlace): DatabasePlace {
  return getDatabaseReader(place).standardPlace(place)
}
