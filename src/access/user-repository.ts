import type { Selectable } from 'kysely'
import type { Queryable } from '../core/db/connection.ts'
import type { Tables } from '../core/db/tables.ts'
import { conflict, notFound } from '../core/errors/errors.ts'
import type { Role, User } from './records.ts'
import { roles } from './records.ts'

/** Password hash of a user who signs in at a provider only. */
export const noPassword = ''

function toRole(text: string): Role {
  return roles.find((role) => role === text) ?? 'user'
}

function toUser(row: Selectable<Tables['users']>): User {
  return {
    name: row.name,
    email: row.email ?? undefined,
    role: toRole(row.role),
    isEnabled: row.enabled === 1,
    passwordHash: row.password_hash,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export async function listUsers(db: Queryable): Promise<User[]> {
  const rows = await db.selectFrom('users').selectAll().orderBy('name').execute()
  return rows.map(toUser)
}

export async function findUser(db: Queryable, name: string): Promise<User | undefined> {
  const row = await db.selectFrom('users').selectAll().where('name', '=', name).executeTakeFirst()
  return row === undefined ? undefined : toUser(row)
}

/** Lists users with an e-mail address, whatever its case. */
export async function listUsersByEmail(db: Queryable, email: string): Promise<User[]> {
  const rows = await db
    .selectFrom('users')
    .selectAll()
    .where((one) => one.fn<string>('lower', ['email']), '=', email.toLowerCase())
    .limit(2)
    .execute()
  return rows.map(toUser)
}

export async function getUser(db: Queryable, name: string): Promise<User> {
  const user = await findUser(db, name)
  if (user === undefined) throw notFound('unknown-user', `User "${name}" does not exist`)
  return user
}

export interface UserValues {
  email: string | undefined
  role: Role
  isEnabled: boolean
  passwordHash: string
}

/** Throws `Failure` (`conflict`) for a name that is in use. */
export async function insertUser(db: Queryable, name: string, values: UserValues, at: string): Promise<void> {
  const { email, role, isEnabled, passwordHash } = values
  const result = await db
    .insertInto('users')
    .values({
      name,
      email: email ?? null,
      role,
      enabled: isEnabled ? 1 : 0,
      password_hash: passwordHash,
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflicting) => conflicting.column('name').doNothing())
    .executeTakeFirst()
  if (Number(result.numInsertedOrUpdatedRows) === 0)
    throw conflict('user-exists', `User "${name}" exists already`)
}

export async function updateUser(db: Queryable, name: string, values: UserValues, at: string): Promise<void> {
  await db
    .updateTable('users')
    .set({
      email: values.email ?? null,
      role: values.role,
      enabled: values.isEnabled ? 1 : 0,
      password_hash: values.passwordHash,
      updated_at: at,
    })
    .where('name', '=', name)
    .execute()
}

export async function deleteUserRow(db: Queryable, name: string): Promise<void> {
  await db.deleteFrom('users').where('name', '=', name).execute()
}

/**
 * Counts enabled users with the role `admin` and a local password other than `name`: they can sign in without
 * a provider.
 */
export async function countOtherAdmins(db: Queryable, name: string): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select((expression) => expression.fn.countAll().as('count'))
    .where('role', '=', 'admin')
    .where('enabled', '=', 1)
    .where('password_hash', '<>', noPassword)
    .where('name', '!=', name)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}
