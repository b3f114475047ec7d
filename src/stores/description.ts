import type { DatabaseAddress } from '../core/postgres/address.ts'
import type { StoreConnection, StoreParameters, VectorStore } from './store.ts'

/** Options for opening a store. */
export interface OpenStoreOptions {
  /** True if more loads are expected: an opened connection is retained for a short time for the next one. */
  isKept?: boolean
  /** Time after the last read for which read connections are retained, in milliseconds. */
  keepReadingMs?: number
  /** True to refuse databases that may block SQLite indefinitely. */
  refusesTraps?: boolean
  /** True to treat the contents of a database as untrusted. */
  isGuarded?: boolean
  /** True to leave no files next to the database file on close, if no other process uses it. */
  leavesWhole?: boolean
}

/** Capabilities of a store type. All code uses these instead of comparing type names. */
interface StoreCapabilities {
  /** True if rows can be loaded. Other types are files that are served directly. */
  takesLoads: boolean
  /** True if only one load at a time is possible, whatever the tables. */
  oneLoadAtATime: boolean
  /** True if attributes can be indexed. */
  hasIndexes: boolean
  /** True if `outcome` still knows a load after later loads into the same table. */
  outcomesLast: boolean
  /** True if counting matches is fast, so that callers need not cache counts. */
  countsFast: boolean
  /**
   * True if the store has a dedicated query for the rows of a tile; otherwise they are read like features.
   */
  findsTileRows: boolean
  /** True if that query reads the rows of several tiles together. */
  readsTilesTogether: boolean
  /**
   * True if a load can be compared with its table before the commit, retained and reused, matched by keys
   * (`UPSERT`), and if replaced contents can be retained. The store then has `takeUp` and `states`, and its
   * loads have `compare`, `retainRows` and `changes`.
   */
  comparesLoads: boolean
}

/** Properties of a store that is a file, named by the parameter `path`. */
interface StoreFile {
  /** File name extension of new files. */
  extension: string
  /** Format whose files can be served directly as stores of this type, if they contain one or more layers. */
  format: string
  /** True if SQLite reads the file. SQLite may block indefinitely on a malicious file. */
  isSqlite: boolean
  /** True if rows are found by an index outside the file, in the `indexFolder` of the connection. */
  isIndexed: boolean
}

/** Properties of a store in a database server. */
interface StoreServer {
  /** Type of the database as a source of tables. */
  database: string
  /** Parameters that change the server. */
  address: readonly string[]
  /**
   * Returns the address of the database as a connection, with the schema. Throws `Failure`
   * (`store-connection`).
   */
  addressOf(parameters: StoreParameters): DatabaseAddress & { schema: string }
  /** Parameters that a password belongs to: if one changes, the password must be given again. */
  passwordScope: readonly string[]
}

/** A store type. The registry lists all types. */
export interface StoreDescription {
  /** Name in records and in the API. */
  readonly type: string
  /**
   * Alternative names for requests, as `type` or `dbtype`: lower case, without blanks, hyphens and
   * underscores. Empty if only imports create such stores.
   */
  readonly names: readonly string[]
  /** Default parameters of every such store. */
  readonly defaults: StoreParameters
  /** Names of parameters that are encrypted and never shown, in lower case. */
  readonly secrets: readonly string[]
  readonly can: StoreCapabilities
  readonly file?: StoreFile
  readonly server?: StoreServer
  /** Opens a store; the connection is tested by `check` or at first use. */
  open(connection: StoreConnection, options: OpenStoreOptions): VectorStore
}
