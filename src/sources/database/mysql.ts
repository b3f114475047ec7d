import type { LayerDescription } from '../../formats/format.ts'
import { FormatError } from '../../formats/format.ts'
import { describeLayers, readLayer } from '../../formats/gdal/gdal.ts'
import type { GdalDriver } from '../../formats/gdal/gdal-drivers.ts'
import type { GdalSource } from '../../formats/gdal/gdal-programs.ts'
import { withGdalDatabase } from '../../formats/gdal/gdal-programs.ts'
import { Failure } from '../../lib/errors.ts'
import { chooseTables } from './choose-tables.ts'
import type { DatabaseConnection, DatabaseReader } from './database.ts'

const driver: GdalDriver = {
  name: 'MySQL',
  drivers: ['MySQL'],
  extensions: [],
  suits: () => false,
  keepsKey: true,
}

/** The server shall not be able to ask for files of this host. */
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
    const said = error.message.replace('GDAL cannot read the file: ', '')
    const message = `MySQL database "${database}" at ${host} port ${port} cannot be read: ${said}`
    throw new Failure('invalid', error.code, message)
  }
}

/** MySQL and MariaDB, through GDAL where it has the driver. */
export const mysql: DatabaseReader = {
  format: 'MySQL',
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
