import { invalid } from '../core/errors/errors.ts'
import type { OpenStoreOptions, StoreDescription } from './description.ts'
import { servedFiles } from './files/description.ts'
import { servedFormats } from './files/served-formats.ts'
import { geoPackage } from './geopackage/description.ts'
import { postgis } from './postgis/description.ts'
import type { StoreConnection, VectorStore } from './store.ts'

/** All store types: one line for each. */
export const stores: readonly StoreDescription[] = [geoPackage, postgis, ...servedFormats.map(servedFiles)]

/** Default stores of the server: a file of its own, or a schema of its own database. */
export const ownStores = { file: geoPackage, database: postgis } as const

const byType = new Map(stores.map((store) => [store.type, store]))
const secrets = new Set(stores.flatMap((store) => store.secrets))

/** Returns the description of a store type; undefined if unknown, as for coverages. */
export function findStoreDescription(type: string): StoreDescription | undefined {
  return byType.get(type)
}

/** Returns the description of a store type; throws `Failure` (`unknown-store-type`). */
export function getStoreDescription(type: string): StoreDescription {
  const found = findStoreDescription(type)
  if (found === undefined) {
    throw invalid('unknown-store-type', `Stores of type "${type}" are not known`)
  }
  return found
}

/** Store types that users may create. */
const makeable = stores.filter(({ names }) => names.length > 0)

/** Returns the store type for one of its names. Throws `Failure` (`unknown-store-type`). */
export function getNamedStore(name: string): StoreDescription {
  const plain = name.toLowerCase().replaceAll(/[\s_-]/g, '')
  const found = makeable.find(({ names }) => names.includes(plain))
  if (found !== undefined) return found
  const types = makeable.map(({ type }) => type)
  const known = [types.slice(0, -1).join(', '), types.at(-1)].join(' or ')
  throw invalid(
    'unknown-store-type',
    name === '' ? `The store needs a "type": ${known}` : `Store type "${name}" is not ${known}`,
  )
}

/** Returns the store type that serves files of a format directly, if any. */
export function findStoreServing(format: string | undefined): StoreDescription | undefined {
  return stores.find(({ file }) => file !== undefined && file.format === format)
}

/**
 * True if a parameter must not be shown: a parameter that is secret for one type is not shown for others
 * either.
 */
export function isSecretParameter(name: string): boolean {
  return secrets.has(name.toLowerCase())
}

/** Opens a store of any type; the connection is tested by `check` or at first use. */
export function openVectorStore(connection: StoreConnection, options: OpenStoreOptions = {}): VectorStore {
  return getStoreDescription(connection.type).open(connection, options)
}
