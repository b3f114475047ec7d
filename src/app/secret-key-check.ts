import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import type { DataDirectory } from '../core/config/data-directory.ts'
import type { Database, Queryable } from '../core/db/connection.ts'
import { createVault } from '../core/secrets/vault.ts'

/** Name of the row in `settings`. */
const fingerprintSetting = 'secret-key-fingerprint'

/** Returns a text that identifies a key without revealing it. */
function fingerprintOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('terrane secret key').digest('hex').slice(0, 32)
}

/**
 * Throws an `Error` that names the setting if the catalogue's passwords are encrypted with another key than
 * that of the data directory. A catalogue without a fingerprint gets one, unless it has passwords and the key
 * decrypts none of them.
 */
export async function requireSecretKey(database: Database, directory: DataDirectory): Promise<void> {
  const own = fingerprintOf(directory.key)
  const isKnown = await database.transaction(async (db) => {
    const stored = await findFingerprint(db)
    if (stored !== undefined) return stored === own
    if (!(await opensSome(db, directory.key))) return false
    await db
      .insertInto('settings')
      .values({ name: fingerprintSetting, value: own })
      .onConflict((conflicting) => conflicting.column('name').doNothing())
      .execute()
    // Another server may have written it first.
    return (await findFingerprint(db)) === own
  })
  if (!isKnown) throw new Error(otherKeyText(database, directory))
}

/**
 * Makes the key of the data directory that of the catalogue: passwords encrypted with another one must be set
 * again.
 */
export async function adoptSecretKey(database: Database, directory: DataDirectory): Promise<void> {
  const value = fingerprintOf(directory.key)
  await database.kysely
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
  const sealed = [
    ...(await db.selectFrom('stores').select('secrets as text').where('secrets', '!=', '').execute()),
    ...(await db.selectFrom('services').select('password as text').where('password', '!=', '').execute()),
    ...(await db
      .selectFrom('notification_receivers')
      .select('secret as text')
      .where('secret', '!=', '')
      .execute()),
  ]
  const isOpened = ({ text }: { text: string }): boolean => {
    try {
      vault.open(text)
      return true
    } catch {
      return false
    }
  }
  return sealed.length === 0 || sealed.some(isOpened)
}

function otherKeyText({ kind }: Database, { root }: DataDirectory): string {
  const [catalogue, otherServer] =
    kind === 'postgres'
      ? [
          'the catalogue of TERRANE_DATABASE_URL',
          'Copy secret.key from the data directory of the other server',
        ]
      : ['the catalogue in it', 'Restore secret.key from the backup of the data directory']
  return [
    `The key file ${join(root, 'secret.key')} in the data directory (TERRANE_DATA) is not the key that ${catalogue} was encrypted with.`,
    `${otherServer}, then start again.`,
    'If that key is lost, run `terrane secret-key adopt` with the same settings: the server then starts with this key, and passwords of stores and receivers must be set again.',
  ].join(' ')
}
