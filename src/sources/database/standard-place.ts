import { invalid } from '../../lib/errors.ts'
import type { DatabasePlace } from './database.ts'

/** Databases that are a file. */
export function isFileDatabase({ type }: Pick<DatabasePlace, 'type'>): boolean {
  return type === 'geopkg' || type === 'sqlite'
}

/** The place with what is usual where nothing was said; throws `Failure` (`invalid`) where something is missing. */
export function standardPlace(place: DatabasePlace): DatabasePlace {
  if (isFileDatabase(place)) return { type: place.type, database: place.database }
  if (place.user === undefined) {
    throw invalid('database-connection', 'The parameter "user" is missing: name the user of the database')
  }
  return { host: 'localhost', port: 5432, schema: 'public', ...place }
}
