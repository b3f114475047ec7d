import { invalid } from '../lib/errors.ts'
import type { OpenOptions, StoreDescription } from './description.ts'
import { servedFiles } from './files/description.ts'
import { servedFormats } from './files/served-formats.ts'
import { geoPackage } from './geopackage/description.ts'
import { postgis } from './postgis/description.ts'
import type { StoreConnection, VectorStore } from './store.ts'

/** Every type of store: one line for each. */
export const stores: readonly StoreDescription[] = [geoPackage, postgis, ...servedFormats.map(servedFiles)]

/** What the server keeps rows in where no other store is named: a file of its own, or a schema of its own database. */
export const ownStores = { file: geoPackage, database: postgis } as const

const byType = new Map(stores.map((store) => [store.type, store]))
const secrets = new Set(stores.flatMap((store) => store.secrets))

/** The description of a type of store; undefined where there is none, as for coverages. */
export function findStoreDescription(type: string): StoreDescription | undefined {
  return byType.get(type)
}

/** The description of a type of store; throws `Failure` (`unknown-store-type`). */
export function getStoreDescription(type: string): StoreDescription {
  const found = findStoreDescription(type)
  if (found === undefined) {
    throw invalid('unknown-store-type', `Stores of type "${type}" are not known`)
  }
  return found
}

/** Types of stores that people may make. */
const makeable = stores.filter(({ names }) => names.length > 0)

/** The type of store that people mean by one of its names; throws `Failure` (`unknown-store-type`). */
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

/** The type of store that files of a format are served by as they are, where there is one. */
export function findStoreServing(format: string | undefined): StoreDescription | undefined {
  return stores.find(({ file }) => file !== undefined && file.format === format)
}

/** Whether a parameter is one that no store shows: what is secret for one is not shown for another either. */
export function isSecretParameter(name: string): boolean {
  return secrets.has(name.toLowerCase())
}

/** Opens a store of any type; the connection itself is tried by `check` or at first use. */
export function openVectorStore(connection: StoreConnection, options: OpenOptions = {}): VectorStore {
  return getStoreDescription(connection.type).open(connection, options)
}
