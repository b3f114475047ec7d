import { Failure } from '../../core/errors/errors.ts'
import type { StoreParameters } from '../../stores/index.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { StoreMaker, StoreRecord } from '../records.ts'

/**
 * Returns who is responsible for the connection of a store after a change. Staff may not redirect a store
 * whose connection an administrator approved: throws `Failure` (`forbidden`).
 */
export function makerAfter(
  store: StoreRecord,
  { connection, changedBy }: { connection?: object; changedBy?: StoreMaker },
  parameters: StoreParameters,
): StoreMaker | undefined {
  if (connection === undefined || changedBy === undefined) return store.madeBy
  if (changedBy === 'admin' || store.madeBy === 'staff') return changedBy
  const address = findStoreDescription(store.type)?.server?.address ?? []
  const moved = address.find((name) => parameters[name] !== store.parameters[name])
  if (moved === undefined) return store.madeBy
  throw new Failure(
    'forbidden',
    'store-of-admin',
    `Store "${store.name}" was made by an administrator: its ${moved} is changed by administrators alone`,
  )
}
