import { randomBytes } from 'node:crypto'
import { minPasswordLength, shortPassword } from '../config/passwords.ts'
import { SettingsError } from '../config/settings.ts'
import type { Database } from '../db/connection.ts'
import type { Clock } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import type { Passwords } from './passwords.ts'
import { insertUser, listUsers } from './user-repository.ts'

export interface FirstUserParts {
  database: Database
  passwords: Passwords
  clock: Clock
}

/**
 * Gives a server without users the user `admin`. Without a password to use, one is made and handed to `notice`, the
 * only time it is seen. Throws `SettingsError` for a password that is too short.
 */
export async function ensureFirstUser(
  { database, passwords, clock }: FirstUserParts,
  wanted: Secret | undefined,
  notice: (text: string) => void,
): Promise<void> {
  if ((await listUsers(database.kysely)).length > 0) return
  if (wanted !== undefined && wanted.reveal().length < minPasswordLength)
    throw new SettingsError([`TERRANE_ADMIN_PASSWORD ${shortPassword}`])
  const password = wanted?.reveal() ?? randomBytes(12).toString('base64url')
  const passwordHash = await passwords.hash(password)
  const user = { email: undefined, role: 'admin' as const, passwordHash }
  await insertUser(database.kysely, 'admin', user, clock.now().toISOString())
  if (wanted === undefined)
    notice(`Created the user "admin" with the password ${password} (it is shown only now)`)
}
