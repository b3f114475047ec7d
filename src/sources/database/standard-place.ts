import { invalid } from '../../lib/errors.ts'
import type { DatabasePlace } from './database.ts'

/** Databases that are a file. */
export function isFileDatabase({ type }: Pick<DatabasePlace, 'type'>): boolean {
  return type === 'geopkg' || type === 'sqlite'
}

/** GDAL parts the name of a MySQL database by commas; a schema is a database there. */
function mysqlPlace({ schema: _schema, tls, ...place }: DatabasePlace): DatabasePlace {
  if (tls !== undefined) throw invalid('database-connection', 'SSL mode is for PostgreSQL alone')
  for (const text of [place.database, place.host, place.user]) {
    if (text !== undefined && /[,\p{Cc}]/u.test(text)) {
      throw invalid(
        'database-connection',
        'Names in a connection to MySQL have no commas and control characters',
      )
    }
  }
  return { host: 'localhost', port: 3306, ...place }
}

/** The place with what is usual where nothing was said; throws `Failure` (`invalid`) where something is missing. */
export function standardPlace(place: DatabasePlace): DatabasePlace {
  if (isFileDatabase(place)) return { type: place.type, database: place.database }
  if (place.user === undefined) {
    throw invalid('database-connection', 'The parameter "user" is missing: name the user of the database')
  }
  if (place.type === 'mysql') return mysqlPlace(place)
  return { host: 'localhost', port: 5432, schema: 'public', ...place }
}
