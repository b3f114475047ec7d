import type { LayerDescription, Message } from '../../formats/format.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { TlsMode } from '../../lib/postgres/address.ts'

/** What can be imported from, by the `dbtype` of its connection parameters. */
export const databaseTypes = ['postgis', 'geopkg', 'sqlite', 'mysql'] as const
export type DatabaseType = (typeof databaseTypes)[number]

/** How a database is reached. Plain data without its secret: it may be stored and shown. */
export interface DatabasePlace {
  type: DatabaseType
  /** Its name; of a database that is a file the file's absolute path. */
  database: string
  host?: string
  port?: number
  schema?: string
  user?: string
  /** Default: `disable`. */
  tls?: TlsMode
}

/** Everything that opens a database. Plain data: it crosses threads, and is never logged or shown. */
export interface DatabaseConnection extends DatabasePlace {
  password?: string
}

/** What a database holds, as far as it was asked for. */
export interface DescribedDatabase {
  /** One for each table, named after it, in the order of the names. */
  tables: LayerDescription[]
  /** What was left out and why. */
  messages: Message[]
}

export interface DescribeOptions {
  /** Tables by name; absent: every table, and every view that has a geometry. */
  tables?: readonly string[]
  maxTables: number
  signal: AbortSignal
}

/**
 * A kind of database that is read. Both methods throw `Failure` that says what is wrong (host, password, table,
 * rights) and never holds the secret, and close every connection, also when the signal aborts or the consumer stops.
 */
export interface DatabaseReader {
  /** The wire name of the format, such as `PostGIS`. */
  format: string
  describe(connection: DatabaseConnection, options: DescribeOptions): Promise<DescribedDatabase>
  /** Streams one table as it stands at the beginning; `table` is an element of what `describe` gave. */
  read(
    connection: DatabaseConnection,
    table: LayerDescription,
    context: { signal: AbortSignal },
  ): AsyncIterable<FeatureBatch>
}
