import { detectFormat } from '../../formats/registry.ts'
import { type DataFile, type Format, FormatError } from '../../formats/worker.ts'
import { chooseTables } from './choose-tables.ts'
import type { DatabaseConnection, DatabaseReader } from './database.ts'

function fileOf({ database }: DatabaseConnection): DataFile {
  return { path: database, sidecars: {} }
}

async function checkFormat(
  format: Format,
  connection: DatabaseConnection,
  signal: AbortSignal,
): Promise<void> {
  if ((await detectFormat(fileOf(connection), signal)) === format) return
  throw new FormatError(`"${connection.database}" is not a database of the format ${format.name}`)
}

/** Creates a reader for a database file, using the reader of its format. */
export function fileDatabase(
  format: Format,
  { type, aliases }: Pick<DatabaseReader, 'type' | 'aliases'>,
): DatabaseReader {
  return {
    type,
    aliases,
    format: format.name,
    fileExtensions: format.extensions,
    standardPlace: ({ database }) => ({ type, database }),
    describe: async (connection, options) => {
      await checkFormat(format, connection, options.signal)
      const layers = await format.describe(fileOf(connection), { signal: options.signal })
      return { tables: chooseTables(layers, connection.database, options), messages: [] }
    },
    read: (connection, table, { signal }) => format.read(fileOf(connection), table, { signal }),
  }
}
