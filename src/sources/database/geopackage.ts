import type { DataFile } from '../../formats/format.ts'
import { geopackage } from '../../formats/geopackage/geopackage.ts'
import { chooseTables } from './choose-tables.ts'
import type { DatabaseConnection, DatabaseReader } from './database.ts'

function fileOf({ database }: DatabaseConnection): DataFile {
  return { path: database, sidecars: {} }
}

/** A GeoPackage, read as the format reads it. */
export const geoPackageDatabase: DatabaseReader = {
  format: geopackage.name,
  describe: async (connection, options) => {
    const layers = await geopackage.describe(fileOf(connection), { signal: options.signal })
    return { tables: chooseTables(layers, connection.database, options), messages: [] }
  },
  read: (connection, table, { signal }) => geopackage.read(fileOf(connection), table, { signal }),
}
