import { existsSync } from 'node:fs'
import { isFileDatabase } from '../../inputs/database/registry.ts'
import type { DatabaseConnection } from '../../inputs/index.ts'
import type { StoreConnection } from '../../stores/index.ts'
import { getStoreDescription } from '../../stores/registry.ts'
import type { LoadPlan, LoadSource } from './load-plan.ts'
import type { WorkLocation } from './trusted-files.ts'
import { checkTrustedFile, checkWrittenFile } from './trusted-files.ts'

/** Throws `Failure` in a thread if a database may block SQLite indefinitely. */
export function checkConnection(
  location: WorkLocation,
  { type, database }: Pick<DatabaseConnection, 'type' | 'database'>,
): void {
  if (isFileDatabase({ type })) checkTrustedFile(location, database)
}

/** The same for all sources and targets of a load. */
export function checkPlan(location: WorkLocation, { source, connection, isReadOnly }: LoadPlan): void {
  checkSource(location, source)
  if (isReadOnly !== true) checkStore(location, connection)
}

/** The same for the source of rows. */
export function checkSource(location: WorkLocation, source: LoadSource): void {
  if (source.kind === 'file') checkTrustedFile(location, source.file.path)
  else if (source.kind === 'table') checkStore(location, source.connection)
  else if (source.kind === 'database') checkConnection(location, source.connection)
}

/** The same for a store. */
export function checkStore(location: WorkLocation, { type, parameters: { path } }: StoreConnection): void {
  const isSqlite = getStoreDescription(type).file?.isSqlite === true
  if (isSqlite && path !== undefined && existsSync(path)) checkWrittenFile(location, path)
}
