import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

type Schema = Kysely<unknown>

/**
 * Adds limits of tokens. Null: the token has all rights of its user, like tokens created before this
 * migration.
 */
async function limitTokens(db: Schema): Promise<void> {
  for (const column of ['scopes', 'workspace', 'layers'])
    await db.schema.alterTable('tokens').addColumn(column, 'text').execute()
  await db.schema.createIndex('tokens_user').on('tokens').column('user_name').execute()
}

async function describeSessions(db: Schema): Promise<void> {
  await db.schema
    .alterTable('sessions')
    .addColumn('via', 'text', (column) => column.notNull().defaultTo('password'))
    .execute()
  for (const column of ['address', 'agent', 'provider_session', 'provider_token'])
    await db.schema.alterTable('sessions').addColumn(column, 'text').execute()
  await db.schema.createIndex('sessions_user').on('sessions').column('user_name').execute()
}

async function createIdentities(db: Schema): Promise<void> {
  await db.schema
    .createTable('user_identities')
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('user_name', 'text', (column) =>
      column.notNull().references('users.name').onDelete('cascade').onUpdate('cascade'),
    )
    .addColumn('refresh_token', 'text')
    .addColumn('confirmed_at', 'text', (column) => column.notNull())
    .addColumn('checked_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('user_identities_key', ['provider', 'subject'])
    .execute()
  await db.schema.createIndex('user_identities_user').on('user_identities').column('user_name').execute()
}

async function createSecondFactors(db: Schema): Promise<void> {
  await db.schema
    .createTable('user_totp')
    .addColumn('user_name', 'text', (column) =>
      column.primaryKey().references('users.name').onDelete('cascade').onUpdate('cascade'),
    )
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('confirmed_at', 'text')
    .addColumn('last_step', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('recovery_codes', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
  await db.schema
    .createTable('user_passkeys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_name', 'text', (column) =>
      column.notNull().references('users.name').onDelete('cascade').onUpdate('cascade'),
    )
    .addColumn('caption', 'text', (column) => column.notNull())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('counter', 'bigint', (column) => column.notNull())
    .addColumn('transports', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text')
    .execute()
  await db.schema.createIndex('user_passkeys_user').on('user_passkeys').column('user_name').execute()
}

/** Adds limits of API tokens, accounts of sign-in providers, and second factors. */
export const signIn: Migration = {
  up: async (db: Schema) => {
    await limitTokens(db)
    await describeSessions(db)
    await createIdentities(db)
    await createSecondFactors(db)
  },
}
