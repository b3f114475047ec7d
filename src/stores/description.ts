import type { DatabaseAddress } from '../lib/postgres/address.ts'
import type { StoreConnection, StoreParameters, VectorStore } from './store.ts'

/** How a store is opened. */
export interface OpenOptions {
  /** Loads will follow one another: what one has opened stays open a moment for the next. */
  isKept?: boolean
  /** What reads stays open for this long without a question. */
  keepReadingMs?: number
  /** Refuses databases of which SQLite may never be done. */
  refusesTraps?: boolean
  /** Believes nothing that stands in a database. */
  isGuarded?: boolean
  /** Leaves nothing beside its file when it is closed, where nobody else is at work in it. */
  leavesWhole?: boolean
}

/** What a store of a type can do. Everybody asks here, and nobody asks for a type by its name. */
interface StoreCapabilities {
  /** Whether rows can be loaded into it. Others are files that are served as they are. */
  takesLoads: boolean
  /** Whether a load has to end before the next one begins, whatever their tables. */
  oneLoadAtATime: boolean
  /** Whether attributes can be given an index. */
  hasIndexes: boolean
  /** Whether `outcome` still knows of a load after later ones into the same table. */
  outcomesLast: boolean
  /** Whether it counts matches in no time, so that nobody else needs to remember them. */
  countsFast: boolean
  /** Whether it has a way of its own to the rows of a tile; without it they are read as features are. */
  findsTileRows: boolean
  /** Whether that way reads rows for several tiles at once. */
  readsTilesTogether: boolean
  /**
   * Whether a load can be compared with its table before the commit, laid by and taken up, matched by keys (`UPSERT`), and what it
   * replaces be kept: `takeUp` and `states`, and `compare`, `layBy` and `changes` of its loads.
   */
  comparesLoads: boolean
}

/** Of a store that is a file, in the parameter `path`. */
interface StoreFile {
  /** The ending of a new one. */
  extension: string
  /** The format whose files can be served as they are, as such stores; only where they hold one layer or more of it. */
  format: string
  /** Whether SQLite reads it, which may never be done with a file of somebody else's. */
  isSqlite: boolean
  /** Whether its rows are found by an index beside the catalogue, in the `indexFolder` of its connection. */
  isIndexed: boolean
}

/** Of a store in a database that is a server. */
interface StoreServer {
  /** The type of the database, by which it is known as a source of tables. */
  database: string
  /** Parameters that lead to another server when they change. */
  address: readonly string[]
  /** Where the database is, in the words of a connection, with the schema; throws `Failure` (`store-connection`). */
  addressOf(parameters: StoreParameters): DatabaseAddress & { schema: string }
  /** Parameters that a password is for: with another of these it has to be given again. */
  passwordScope: readonly string[]
}

/** A type of store as all others know it. The registry lists them. */
export interface StoreDescription {
  /** Its name in records and on the wire. */
  readonly type: string
  /**
   * What else requests may call it, as `type` or `dbtype`: in small letters, without blanks, dashes and underlines. None
   * where only imports make such stores.
   */
  readonly names: readonly string[]
  /** Parameters of every such store, where a request does not say otherwise. */
  readonly defaults: StoreParameters
  /** Parameters that are kept sealed and never shown, in small letters. */
  readonly secrets: readonly string[]
  readonly can: StoreCapabilities
  readonly file?: StoreFile
  readonly server?: StoreServer
  /** Opens a store; the connection itself is tried by `check` or at first use. */
  open(connection: StoreConnection, options: OpenOptions): VectorStore
}
