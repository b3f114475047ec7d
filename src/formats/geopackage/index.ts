// Tables, rows and names of GeoPackage and SQLite files, for the stores that serve them. Knows no store.
// Start reading at `tables.ts`.

export { parseDate, parseTimestamp, type SqliteValue } from './append-value.ts'
export { type GeometryBox, geometryBox, wkbStart } from './geometry-blob.ts'
export { geopackage } from './geopackage.ts'
export { distrust, openForeignDatabase, pendingFiles } from './open-database.ts'
export { foldName, isSameName, nameForm, quoteName, quoteText } from './sql-names.ts'
export { appendRow, iterateRows, selectList } from './sql-rows.ts'
export { findObject, findTable, type GeoPackageTable, hasCatalogue, listTables } from './tables.ts'
export { findTrap, mayThreadsRead } from './traps.ts'
