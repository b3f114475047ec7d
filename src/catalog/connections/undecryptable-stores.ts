import type { Queryable } from '../../db/connection.ts'
import { explain } from '../../lib/errors.ts'
import type { Vault } from '../../lib/secrets/vault.ts'
import { listAllStores, readSealedSecrets } from '../rows/store-rows.ts'
import { openSecrets } from './store-connections.ts'

/** Returns a message for each store whose password was stored with another key than that of the data directory. */
export async function listUndecryptable(db: Queryable, vault: Vault): Promise<string[]> {
  const faults: string[] = []
  for (const store of await listAllStores(db)) {
    const sealed = store.secretNames.length === 0 ? '' : await readSealedSecrets(db, store.id)
    try {
      openSecrets(vault, store, sealed)
    } catch (error) {
      faults.push(explain(error))
    }
  }
  return faults
}
