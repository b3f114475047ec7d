import { invalid } from '../../core/errors/errors.ts'
import type { TlsMode } from '../../core/postgres/address.ts'
import type { FormatMessage, LayerDescription } from '../../formats/worker.ts'
import type { FeatureBatch } from '../../geo/batch.ts'

/** Address of a database. Plain data without its secret: it may be stored and shown. */
export interface DatabaseLocation {
  /** Type of the reader in the registry. */
  type: string
  /** Database name; for a file its absolute path. */
  database: string
  host?: string
  port?: number
  schema?: string
  user?: string
  /** Default: `disable`. */
  tls?: TlsMode
}

/**
 * All parameters for opening a database. Plain data: it is passed between threads, and never logged or shown.
 */
export interface DatabaseConnection extends DatabaseLocation {
  password?: string
}

/** Contents of a database, as far as requested. */
export interface DescribedDatabase {
  /** One for each table, with its name, ordered by name. */
  tables: LayerDescription[]
  /** Omitted tables and the reasons. */
  messages: FormatMessage[]
}

/** Options for describing a database, and the signal that stops it. */
export interface DescribeOptions {
  /** Tables by name; absent: every table, and every view that has a geometry. */
  tables?: readonly string[]
  maxTables: number
  signal: AbortSignal
}

/**
 * A kind of database that can be read. `describe` and `read` throw a `Failure` with the reason (host,
 * password, table, privileges) that never contains the secret, and close every connection, also when the
 * signal aborts or the consumer stops.
 */
export interface DatabaseReader {
  /** The `dbtype` of its connection parameters. */
  type: string
  /** Further names of the type, in lower case; those of servers are also URL schemes. */
  aliases: readonly string[]
  /** File name extensions, for a database that is a file. */
  fileExtensions?: readonly string[]
  /** Returns the address with defaults; throws `Failure` (`invalid`) for invalid parts. */
  standardPlace(location: DatabaseLocation): DatabaseLocation
  /** API name of the format, such as `PostGIS`. */
  format: string
  describe(connection: DatabaseConnection, options: DescribeOptions): Promise<DescribedDatabase>
  /** Streams one table in the state at the start; `table` must be an element of the result of `describe`. */
  read(
    connection: DatabaseConnection,
    table: LayerDescription,
    context: { signal: AbortSignal },
  ): AsyncIterable<FeatureBatch>
}

/** Throws `Failure` (`invalid`) without a user name, which every server requires. */
export function requireUser({ user }: DatabaseLocation): void {
  if (user !== undefined) return
  throw invalid('database-connection', 'The parameter "user" is missing: name the user of the database')
}
