import { basename } from 'node:path'
import { notFound } from '../../../lib/errors.ts'
import type { FeaturePage, FeatureQuery, TimeBounds } from '../../store.ts'
import { storeFailure } from '../errors.ts'
import type { GeoPackageStoreSettings } from '../file-access.ts'
import { hasFile } from '../file-access.ts'
import type { Filter } from './conditions.ts'
import type { ReadConnection } from './connections.ts'
import { ReadConnections } from './connections.ts'
import type { TableReader } from './table-reader.ts'

export function unknownTable(path: string, table: string): Error {
  return notFound('unknown-table', `"${basename(path)}" has no table "${table}"`)
}

/** Questions to the tables of one file, over connections that are kept for `keepMs`. */
export class Reading {
  readonly #path: string
  readonly #connections: ReadConnections

  constructor(settings: GeoPackageStoreSettings, keepMs: number) {
    this.#path = settings.path
    this.#connections = new ReadConnections(settings, keepMs)
  }

  count(filter: Filter): number {
    return this.use(
      (connection) => this.#getTable(connection, filter.table).count(filter),
      () => {
        throw unknownTable(this.#path, filter.table)
      },
    )
  }

  timeBounds(table: string, attribute: string): TimeBounds | undefined {
    return this.use(
      (connection) => this.#getTable(connection, table).timeBounds(attribute),
      () => undefined,
    )
  }

  /** One question; `absent` answers where there is no file yet. */
  use<Result>(work: (connection: ReadConnection) => Result, absent: () => Result): Result {
    if (!hasFile(this.#path)) return absent()
    try {
      const connection = this.#connections.take()
      try {
        return work(connection)
      } finally {
        this.#connections.giveBack(connection)
      }
    } catch (error) {
      throw storeFailure(error, this.#path)
    }
  }

  async *read(query: FeatureQuery, signal: AbortSignal): AsyncGenerator<FeaturePage> {
    signal.throwIfAborted()
    if (!hasFile(this.#path)) throw unknownTable(this.#path, query.table)
    try {
      const connection = this.#connections.take()
      try {
        for (const page of this.#getTable(connection, query.table).pages(query)) {
          yield page
          signal.throwIfAborted()
        }
      } finally {
        this.#connections.giveBack(connection)
      }
    } catch (error) {
      throw storeFailure(error, this.#path)
    }
  }

  close(): void {
    this.#connections.close()
  }

  #getTable(connection: ReadConnection, name: string): TableReader {
    const table = connection.findTable(name)
    if (table === undefined) throw unknownTable(this.#path, name)
    return table
  }
}
