import type { LayerDescription, Message } from '../../formats/format.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { TlsMode } from '../../lib/postgres/address.ts'

/** How a database is reached. Plain data without its secret: it may be stored and shown. */
export interface DatabasePlace {
  /** That of the reader in the registry. */
  type: string
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

/** What of a database is told, and what stops it. */
export interface DescribeOptions {
  /** Tables by name; absent: every table, and every view that has a geometry. */
  tables?: readonly string[]
  maxTables: number
  signal: AbortSignal
}

/**
 * A kind of database that is read. `describe` and `read` throw `Failure` that says what is wrong (host, password, table,
 * rights) and never holds the secret, and close every connection, also when the signal aborts or the consumer stops.
 */
export interface DatabaseReader {
  /** The `dbtype` of its connection parameters. */
  type: string
  /** Further names of the type, in lower case; those of servers are schemes of addresses too. */
  aliases: readonly string[]
  /** Of a database that is a file: the extensions of such files. */
  fileExtensions?: readonly string[]
  /** The place with what is usual where nothing was said; throws `Failure` (`invalid`) for what does not suit. */
  standardPlace(place: DatabasePlace): DatabasePlace
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
