import type { DataFile, Format } from '../../formats/format.ts'
import { FormatError } from '../../formats/format.ts'
import { detectFormat, formats } from '../../formats/registry.ts'
import { chooseTables } from './choose-tables.ts'
import type { DatabaseConnection, DatabaseReader } from './database.ts'

function fileOf({ database }: DatabaseConnection): DataFile {
  return { path: database, sidecars: {} }
}

async function openFormat(
  name: string,
  connection: DatabaseConnection,
  signal: AbortSignal,
): Promise<Format> {
  const found = await detectFormat(fileOf(connection), signal)
  if (found?.name === name) return found
  throw new FormatError(`"${connection.database}" is no database of the format ${name}`)
}

/** A database that is a file, read as the format of that name reads it. */
export function fileDatabase(name: string): DatabaseReader {
  return {
    format: name,
    describe: async (connection, options) => {
      const format = await openFormat(name, connection, options.signal)
      const layers = await format.describe(fileOf(connection), { signal: options.signal })
      return { tables: chooseTables(layers, connection.database, options), messages: [] }
    },
    read: (connection, table, { signal }) => {
      const format = formats.find((one) => one.name === name)
      if (format === undefined) throw new FormatError(`Nothing reads the format "${name}"`)
      return format.read(fileOf(connection), table, { signal })
    },
  }
}
