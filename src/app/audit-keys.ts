import { deriveSealKey } from '../audit/index.ts'
import type { Queryable } from '../core/db/connection.ts'
import { createVault, type Vault } from '../core/secrets/vault.ts'

/** Name of the row in `settings` with the keys of seals before rotations, encrypted. */
const settingName = 'audit-seal-keys'

type SealKey = ReturnType<typeof deriveSealKey>

/** Returns the keys of the audit log's seals, the current one first. */
export async function readSealKeys(
  db: Queryable,
  installationKey: Uint8Array,
): Promise<[SealKey, ...SealKey[]]> {
  const older = await readOlder(db, createVault(installationKey)).catch(() => [])
  return [deriveSealKey(installationKey), ...older]
}

/** Keeps the key of the seals so far when the installation's key changes. */
export async function keepSealKey(db: Queryable, oldKey: Uint8Array, newKey: Uint8Array): Promise<void> {
  const kept = [deriveSealKey(oldKey), ...(await readOlder(db, createVault(oldKey)))]
  const list = kept.map(({ name, key }) => ({ name, key: Buffer.from(key).toString('hex') }))
  const value = createVault(newKey).seal(JSON.stringify(list))
  await db
    .insertInto('settings')
    .values({ name: settingName, value })
    .onConflict((conflicting) => conflicting.column('name').doUpdateSet({ value }))
    .execute()
}

async function readOlder(db: Queryable, vault: Vault): Promise<SealKey[]> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', settingName)
    .executeTakeFirst()
  if (row === undefined) return []
  const list: { name: string; key: string }[] = JSON.parse(vault.open(row.value))
  return list.map(({ name, key }) => ({ name, key: new Uint8Array(Buffer.from(key, 'hex')) }))
}
