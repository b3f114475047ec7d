import { stat } from 'node:fs/promises'
import { invalid } from '../../core/errors/errors.ts'
import type { Vault } from '../../core/secrets/vault.ts'
import { defaultAddress, isFileDatabase } from '../../inputs/database/registry.ts'
import { type DatabaseConnection, resolveInRoots } from '../../inputs/index.ts'
import type { DatabaseRequest, DatabaseSource, ImportSource } from '../model/model.ts'
import type { InspectDeps } from './unpack-data.ts'

/** Returns a database source as stored. A database file must be below an import root, like any file. */
export async function resolveDatabase(
  deps: Pick<InspectDeps, 'roots' | 'vault'>,
  request: DatabaseRequest,
): Promise<ImportSource> {
  const { password, ...named } = request.connection
  const address = defaultAddress(named)
  if (isFileDatabase(address)) address.database = await resolveFile(deps.roots, address.database)
  return {
    type: 'database',
    path: '',
    isOurs: false,
    database: {
      place: address,
      tables: [],
      sealedPassword: password === undefined ? undefined : deps.vault.seal(password),
      wanted: request.tables,
    },
  }
}

async function resolveFile(roots: readonly string[], name: string): Promise<string> {
  const path = await resolveInRoots(name, roots)
  const status = await stat(path).catch(() => undefined)
  if (status?.isFile() !== true) throw invalid('no-such-file', `Database file "${path}" does not exist`)
  return path
}

/** Returns the connection with its password, for code that opens the connection or may show it. */
export function openedConnection(
  vault: Vault,
  { place, sealedPassword }: DatabaseSource,
): DatabaseConnection {
  return { ...place, password: sealedPassword === undefined ? undefined : vault.open(sealedPassword) }
}
