import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { DataDirectory } from '../core/config/data-directory.ts'
import { installProposedKey, readProposedKey } from '../core/config/secret-key.ts'
import type { Database, Queryable } from '../core/db/connection.ts'
import { createVault } from '../core/secrets/vault.ts'

/** Name of the row in `settings`. */
const fingerprintSetting = 'secret-key-fingerprint'

/**
 * Encrypted columns of the catalogue, apart from passwords inside the documents of imports. `id` is the column that
 * names a row in messages.
 */
export const sealedColumns = [
  { table: 'stores', column: 'secrets', id: 'id' },
  { table: 'services', column: 'password', id: 'id' },
  { table: 'notification_receivers', column: 'secret', id: 'id' },
  { table: 'sources', column: 'secrets', id: 'id' },
  { table: 'user_totp', column: 'secret', id: 'user_name' },
  { table: 'user_identities', column: 'refresh_token', id: 'user_name' },
  { table: 'sessions', column: 'provider_token', id: 'user_name' },
] as const

export type SealedColumn = (typeof sealedColumns)[number]

interface SealedText {
  id: number | string
  sealed: string
}

export async function listSealed(db: Queryable, { table, column, id }: SealedColumn): Promise<SealedText[]> {
  const text = sql.ref<string>(column)
  const query = sql<SealedText>`select ${sql.ref(id)} as id, ${text} as sealed from ${sql.table(table)} where ${text} <> ''`
  return (await query.execute(db)).rows
}

/** Returns a text that identifies a key without revealing it. */
function fingerprintOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('terrane secret key').digest('hex').slice(0, 32)
}

/**
 * Returns the key of the catalogue: that of the data directory, or the one of a rotation that was interrupted
 * after its commit, which becomes that of the data directory. A catalogue without a fingerprint gets one, unless
 * it has passwords and the key decrypts none of them. Throws an `Error` that names the setting if the passwords
 * are encrypted with another key.
 */
export async function requireSecretKey(database: Database, directory: DataDirectory): Promise<Uint8Array> {
  const own = fingerprintOf(directory.key)
  const stored = await database.transaction(async (db) => {
    const known = await findFingerprint(db)
    if (known !== undefined || !(await opensSome(db, directory.key))) return known
    await db
      .insertInto('settings')
      .values({ name: fingerprintSetting, value: own })
      .onConflict((conflicting) => conflicting.column('name').doNothing())
      .execute()
    // Another server may have written it first.
    return findFingerprint(db)
  })
  if (stored === own) return directory.key
  const proposed = directory.keyFile === undefined ? undefined : readProposedKey(directory.keyFile)
  if (proposed === undefined || directory.keyFile === undefined || fingerprintOf(proposed) !== stored)
    throw new Error(otherKeyText(database, directory))
  installProposedKey(directory.keyFile)
  return proposed
}

/** Makes a key that of the catalogue: passwords encrypted with another one must be set again. */
export async function adoptSecretKey(db: Queryable, key: Uint8Array): Promise<void> {
  const value = fingerprintOf(key)
  await db
    .insertInto('settings')
    .values({ name: fingerprintSetting, value })
    .onConflict((conflicting) => conflicting.column('name').doUpdateSet({ value }))
    .execute()
}

async function findFingerprint(db: Queryable): Promise<string | undefined> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', fingerprintSetting)
    .executeTakeFirst()
  return row?.value
}

/** True if the key decrypts one of the stored secrets, or if there are none. */
async function opensSome(db: Queryable, key: Uint8Array): Promise<boolean> {
  const vault = createVault(key)
  const sealed = (await Promise.all(sealedColumns.map((column) => listSealed(db, column)))).flat()
  const isOpened = (one: SealedText): boolean => {
    try {
      vault.open(one.sealed)
      return true
    } catch {
      return false
    }
  }
  return sealed.length === 0 || sealed.some(isOpened)
}

function otherKeyText({ kind }: Database, { root, keyFile }: DataDirectory): string {
  const catalogue =
    kind === 'postgres' ? 'the catalogue of TERRANE_DATABASE_URL' : `the catalogue in ${root} (TERRANE_DATA)`
  const own =
    keyFile === undefined
      ? 'The key in TERRANE_SECRET_KEY'
      : `The key file ${keyFile} in the data directory (TERRANE_DATA)`
  return [
    `${own} is not the key that ${catalogue} was encrypted with.`,
    `${originalKeyAdvice(kind, keyFile)}, then start again.`,
    'If that key is lost, run `terrane key adopt` with the same settings: the server then starts with this key, and passwords of stores and receivers must be set again.',
  ].join(' ')
}

function originalKeyAdvice(kind: Database['kind'], keyFile: string | undefined): string {
  if (keyFile === undefined) return 'Set TERRANE_SECRET_KEY to the key of the other servers'
  return kind === 'postgres'
    ? 'Copy secret.key from the data directory of the other server'
    : 'Restore secret.key from the backup of the data directory'
}
