import type { Queryable } from '../../core/db/connection.ts'
import { explain, invalid } from '../../core/errors/errors.ts'
import type { NetworkReach } from '../../core/network/reach.ts'
import type { Vault } from '../../core/secrets/vault.ts'
import {
  isCoverageStoreType,
  type ServedStore,
  type StoreConnection,
  type StoreParameters,
} from '../../stores/index.ts'
import { findStoreDescription, isSecretParameter } from '../../stores/registry.ts'
import type { StoreRecord } from '../records.ts'
import { listAllStores, readSealedSecrets } from '../rows/store-rows.ts'

export interface PartedParameters {
  parameters: StoreParameters
  secretNames: string[]
  sealed: string
}

/** Separates parameters into plain and encrypted ones. */
export function partParameters(all: StoreParameters, vault: Vault): PartedParameters {
  const secrets = Object.fromEntries(Object.entries(all).filter(([name]) => isSecretParameter(name)))
  const secretNames = Object.keys(secrets)
  return {
    parameters: Object.fromEntries(Object.entries(all).filter(([name]) => !isSecretParameter(name))),
    secretNames,
    sealed: secretNames.length === 0 ? '' : vault.seal(JSON.stringify(secrets)),
  }
}

/**
 * Decrypts the secret parameters of a store. Throws a `Failure` (`wrong-secret-key`) that names the store and
 * explains how to set the parameters again.
 */
function openSecrets(vault: Vault, store: StoreRecord, sealed: string): StoreParameters {
  if (sealed === '') return {}
  const { workspace, name, secretNames } = store
  const parameters = secretNames.map((secret) => ` --parameter ${secret}=VALUE`).join('')
  const text = vault.open(sealed, {
    what: `The password of store "${workspace}:${name}"`,
    remedy: `set the password again: terrane stores change ${workspace}:${name}${parameters}`,
  })
  return JSON.parse(text) as StoreParameters
}

/** Opens stores and caches the connections: one per store while its parameters are unchanged. */
export interface StoreConnections {
  /** Returns type and parameters, including secrets: what a worker needs to open the store itself. */
  connection(db: Queryable, store: StoreRecord): Promise<StoreConnection>
  open(db: Queryable, store: StoreRecord): Promise<ServedStore>
  /** Closes the cached connection of a store that was changed or deleted. */
  forget(storeId: number): Promise<void>
  close(): Promise<void>
}

export function createStoreConnections(
  vault: Vault,
  openVectorStore: (connection: StoreConnection) => ServedStore,
  { indexFolder, reachOfStaff }: { indexFolder: string; reachOfStaff: () => NetworkReach },
): StoreConnections {
  const opened = new Map<number, { version: string; store: ServedStore }>()

  async function connection(db: Queryable, store: StoreRecord): Promise<StoreConnection> {
    const { type } = store
    if (isCoverageStoreType(type)) {
      throw invalid('no-data-store', `The coverage store "${store.name}" holds no features`)
    }
    const sealed = await readSealedSecrets(db, store.id)
    const parameters = { ...store.parameters, ...openSecrets(vault, store, sealed) }
    return {
      type,
      parameters,
      indexFolder: findStoreDescription(type)?.file?.isIndexed === true ? indexFolder : undefined,
      reach: store.madeBy === 'staff' ? reachOfStaff() : undefined,
    }
  }

  async function forget(storeId: number): Promise<void> {
    const known = opened.get(storeId)
    opened.delete(storeId)
    await known?.store.close()
  }

  return {
    connection,
    forget,
    open: async (db, store) => {
      const known = opened.get(store.id)
      if (known?.version === store.updatedAt) return known.store
      await forget(store.id)
      const target = await connection(db, store)
      const raced = opened.get(store.id)
      if (raced?.version === store.updatedAt) return raced.store
      const vectorStore = openVectorStore(target)
      opened.set(store.id, { version: store.updatedAt, store: vectorStore })
      return vectorStore
    },
    close: async () => {
      await Promise.all([...opened.keys()].map(forget))
    },
  }
}

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
