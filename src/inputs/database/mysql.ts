import { Failure, invalid } from '../../core/errors/errors.ts'
import { defined } from '../../core/values/defined.ts'
import {
  describeLayers,
  type GdalDriver,
  type GdalSource,
  readLayer,
  withGdalDatabase,
} from '../../formats/index.ts'
import { FormatError, type LayerDescription } from '../../formats/worker.ts'
import { chooseTables } from './choose-tables.ts'
import type { DatabaseConnection, DatabaseLocation, DatabaseReader } from './database.ts'
import { requireUser } from './database.ts'

const driver: GdalDriver = { name: 'MySQL', drivers: ['MySQL'], extensions: [], suits: () => false }

/** GDAL separates the name of a MySQL database by commas; a schema is a database there. */
function mysqlPlace({ schema: _schema, tls, ...place }: DatabaseLocation): DatabaseLocation {
  requireUser(place)
  if (tls !== undefined) throw invalid('database-connection', 'SSL mode is supported for PostgreSQL only')
  for (const text of [place.database, place.host, place.user]) {
    if (text !== undefined && /[,\p{Cc}]/u.test(text)) {
      throw invalid(
        'database-connection',
        'Names in a MySQL connection must not contain commas or control characters',
      )
    }
  }
  return { host: 'localhost', port: 3306, ...defined(place) }
}

/**
 * Messages of the MySQL client about an unreachable server (errors 2002, 2003, 2006, 2013, 1053 and 1927).
 */
const mysqlAway =
  /Can't connect to|Lost connection|server has gone away|shutdown in progress|Connection was killed/i

/** Prevents the server from requesting files of this host. */
const clientSettings = '[client]\nlocal-infile=0\n'

async function* withMysql<T>(
  connection: DatabaseConnection,
  signal: AbortSignal,
  work: (source: GdalSource) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const { database, host = '', port, user = '', password = '' } = connection
  // The name "localhost" would mean a socket.
  const address = host === 'localhost' ? '127.0.0.1' : host
  const name = `MYSQL:${database},host=${address},port=${port},user=${user}`
  const files = { '.my.cnf': clientSettings }
  try {
    yield* withGdalDatabase({ name, env: { MYSQL_PWD: password }, files }, driver, signal, work)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof FormatError)) throw error
    const output = error.message.replace('GDAL cannot read the file: ', '')
    if (mysqlAway.test(output)) {
      const text = `MySQL database "${database}" at ${host} port ${port} cannot be reached: nothing listens there, or the connection was lost`
      throw new Failure('unavailable', 'store-lost', text, { cause: error, retryAfterSeconds: 10 })
    }
    const message = `MySQL database "${database}" at ${host} port ${port} cannot be read: ${output}`
    throw new Failure('invalid', error.code, message)
  }
}

/** MySQL and MariaDB, through GDAL if it has the driver. */
export const mysql: DatabaseReader = {
  type: 'mysql',
  aliases: ['mariadb'],
  format: 'MySQL',
  standardPlace: mysqlPlace,
  describe: async (connection, options) => {
    const { signal } = options
    const layers: LayerDescription[] = []
    const found = withMysql(connection, signal, (source) => describeLayers(source, driver, signal))
    for await (const layer of found) layers.push(layer)
    return { tables: chooseTables(layers, connection.database, options), messages: [] }
  },
  read: (connection, table, { signal }) =>
    withMysql(connection, signal, (source) => readLayer(source, driver, table, signal)),
}
