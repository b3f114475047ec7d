import { sql } from 'kysely'
import type { DataDirectory } from '../core/config/data-directory.ts'
import { installProposedKey, proposeSecretKey } from '../core/config/secret-key.ts'
import type { Database, Queryable } from '../core/db/connection.ts'
import { listNodes } from '../core/nodes/nodes.ts'
import { createVault } from '../core/secrets/vault.ts'
import { keepSealKey } from './audit-keys.ts'
import {
  adoptSecretKey,
  listSealed,
  requireSecretKey,
  type SealedColumn,
  sealedColumns,
} from './secret-key.ts'

/** Name of the encrypted passwords inside documents of imports. */
const sealedField = 'sealedPassword'

/**
 * Encrypts all stored passwords with `newKey`, or with a new key that replaces the key file. Returns the number
 * of passwords. Everything changes in one transaction; a key file waits beside the old one until then. Throws a
 * `Failure` (`wrong-secret-key`) if a password is encrypted with a third key; nothing is changed then.
 */
export async function rotateSecretKey(
  database: Database,
  directory: DataDirectory,
  newKey?: Uint8Array,
): Promise<number> {
  await requireNoServer(database)
  const oldKey = await requireSecretKey(database, directory)
  const old = createVault(oldKey)
  const key = newKey ?? proposeSecretKey(requiredFile(directory))
  const next = createVault(key)
  const count = await database.transaction(async (db) => {
    let changed = 0
    const reseal = (sealed: string, what: string): string => {
      changed += 1
      return next.seal(old.open(sealed, { what, remedy: 'store the password again, then rotate the key' }))
    }
    for (const column of sealedColumns) await resealColumn(db, column, reseal)
    await resealImports(db, reseal)
    await keepSealKey(db, oldKey, key)
    await adoptSecretKey(db, key)
    return changed
  })
  if (newKey === undefined) installProposedKey(requiredFile(directory))
  return count
}

/** Throws an `Error` that names a running server of the catalogue. */
export async function requireNoServer(database: Database): Promise<void> {
  const server = (await listNodes(database)).find(({ isAlive }) => isAlive)
  if (server === undefined) return
  throw new Error(
    `The server on ${server.host} (process ${server.pid}) uses the catalogue: stop all servers, then run the command again`,
  )
}

/** Returns the key file. Throws an `Error` if a setting has the key: only the operator can change that. */
function requiredFile({ keyFile }: DataDirectory): string {
  if (keyFile !== undefined) return keyFile
  throw new Error(
    'The key is in TERRANE_SECRET_KEY: put a new one (`openssl rand -hex 32`) into TERRANE_NEW_SECRET_KEY, or the path of a file with it into TERRANE_NEW_SECRET_KEY_FILE, and run the command again',
  )
}

type Reseal = (sealed: string, what: string) => string

async function resealColumn(db: Queryable, column: SealedColumn, reseal: Reseal): Promise<void> {
  const { table } = column
  for (const { id, sealed } of await listSealed(db, column)) {
    const changed = reseal(sealed, `The password in ${table} ${id}`)
    // No two texts are encrypted with the same nonce, so the text identifies the row.
    const name = sql.ref(column.column)
    await sql`update ${sql.table(table)} set ${name} = ${changed} where ${name} = ${sealed}`.execute(db)
  }
}

async function resealImports(db: Queryable, reseal: Reseal): Promise<void> {
  const rows = await db
    .selectFrom('imports')
    .select(['id', 'document'])
    .where('document', 'like', `%"${sealedField}"%`)
    .execute()
  for (const { id, document } of rows) {
    const changed = JSON.stringify(JSON.parse(document), (name, value: unknown) =>
      name === sealedField && typeof value === 'string'
        ? reseal(value, `The password of import ${id}`)
        : value,
    )
    await db.updateTable('imports').set({ document: changed }).where('id', '=', id).execute()
  }
}
