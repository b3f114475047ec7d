import { lookup } from 'node:dns/promises'
import { realpath } from 'node:fs/promises'
import { invalid } from '../../../core/errors/errors.ts'
import { isFileDatabase } from '../../../inputs/database/registry.ts'
import type { DatabaseLocation } from '../../../inputs/index.ts'
import type { StoreConnection } from '../../../stores/index.ts'
import { getStoreDescription } from '../../../stores/registry.ts'

interface TablePlace {
  /** Host names, all as addresses. */
  hosts: string[]
  /** Further parts that distinguish tables. */
  rest: string[]
}

const loopback = /^(127\.|::1$)/

async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => [])
  const addresses = found.map(({ address }) => (loopback.test(address) ? 'loopback' : address))
  return [host.toLowerCase(), ...addresses]
}

async function serverPlace(
  type: string,
  { host = 'localhost', port = '5432', database = '', schema = 'public' }: Record<string, string | undefined>,
  table: string,
): Promise<TablePlace> {
  return { hosts: await addressesOf(host), rest: [type, port, database, schema, table] }
}

async function filePlace(path: string, table: string): Promise<TablePlace> {
  const real = await realpath(path).catch(() => path)
  return { hosts: [''], rest: ['file', real, table.toLowerCase()] }
}

async function placeOfSource(location: DatabaseLocation, table: string): Promise<TablePlace> {
  const { database, port, host, schema } = location
  if (isFileDatabase(location)) return filePlace(database, table)
  return serverPlace(location.type, { host, port: port?.toString(), database, schema }, table)
}

async function placeOfTarget({ type, parameters }: StoreConnection, table: string): Promise<TablePlace> {
  const { server } = getStoreDescription(type)
  if (server === undefined) return filePlace(parameters.path ?? '', table)
  return serverPlace(server.database, parameters, table)
}

/** Throws if the same load would read and write a table. */
export async function refuseSameTable(
  source: { place: DatabaseLocation; table: string },
  target: { connection: StoreConnection; table: string },
): Promise<void> {
  const from = await placeOfSource(source.place, source.table)
  const to = await placeOfTarget(target.connection, target.table)
  const isSameHost = from.hosts.some((host) => to.hosts.includes(host))
  if (!isSameHost || from.rest.join('\n') !== to.rest.join('\n')) return
  throw invalid(
    'same-table',
    `Table "${source.table}" is both source and target of the load: choose another store or layer`,
  )
}
