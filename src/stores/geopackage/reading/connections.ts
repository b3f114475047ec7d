import { statSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Failure } from '../../../core/errors/errors.ts'
import { findTable, findTrap, hasCatalogue, pendingFiles } from '../../../formats/geopackage/index.ts'
import type { GeoPackageStoreSettings, Opened } from '../file-access.ts'
import { openStoreFile } from '../file-access.ts'
import { defineFunctions } from './conditions.ts'
import { GeoPackageTableReader } from './table-reader.ts'

/** Maximum number of idle connections, each with cached data about its tables. */
const maxIdle = 2

/**
 * The error for a file that a thread must not read, since a thread cannot be terminated: a process must read
 * it.
 */
function needsProcess(trap: string): Failure {
  return new Failure('unavailable', 'needs-process', `The GeoPackage holds a ${trap}`)
}

/** One connection, which sees one state of the file at a time. */
export class ReadConnection {
  /** Identity and state of the opened file. */
  readonly identity: string
  readonly #opened: Opened
  readonly #settings: GeoPackageStoreSettings
  readonly #tables = new Map<string, GeoPackageTableReader | undefined>()
  readonly #begin: StatementSync
  readonly #rollback: StatementSync
  readonly #dataVersion: StatementSync
  #version: unknown

  constructor(settings: GeoPackageStoreSettings) {
    this.#settings = settings
    this.identity = identityOf(settings)
    this.#opened = openStoreFile(settings)
    defineFunctions(this.db)
    this.#begin = this.db.prepare('BEGIN')
    this.#rollback = this.db.prepare('ROLLBACK')
    this.#dataVersion = this.db.prepare('PRAGMA data_version')
  }

  get db(): DatabaseSync {
    return this.#opened.db
  }

  /** Starts reading the present state of the file and clears cached data if the state has changed. */
  begin(): void {
    this.#begin.run()
    const version = this.#dataVersion.get()?.['data_version']
    if (version === this.#version) return
    this.#tables.clear()
    const trap = this.#settings.refusesTraps === true ? findTrap(this.db) : undefined
    if (trap !== undefined) throw needsProcess(trap)
    this.#version = version
  }

  end(): void {
    if (this.db.isTransaction) this.#rollback.run()
  }

  /** Returns undefined if there is no such table. */
  findTable(name: string): GeoPackageTableReader | undefined {
    if (!this.#tables.has(name)) {
      const table = hasCatalogue(this.db) ? findTable(this.db, name) : undefined
      this.#tables.set(name, table === undefined ? undefined : new GeoPackageTableReader(this.db, table))
    }
    return this.#tables.get(name)
  }

  close(): void {
    this.#opened.close()
  }
}

/**
 * Returns a text that changes when the path refers to another file; without change notifications, also when
 * this file changes.
 */
function identityOf({ path, isReadOnly = false }: GeoPackageStoreSettings): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) return ''
  const { dev, ino, size, mtimeNs } = found
  return isReadOnly ? [dev, ino, size, mtimeNs, pendingFiles(path).length].join(' ') : `${dev} ${ino}`
}

const roomCodes = new Set([10, 13, 14])

/**
 * True if SQLite could not create its files next to the database (`SQLITE_IOERR`, `SQLITE_FULL`,
 * `SQLITE_CANTOPEN`).
 */
function lacksRoom(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown }
  return typeof errcode === 'number' && roomCodes.has(errcode & 0xff)
}

/**
 * Read connections of one store. Without `keepMs` each connection is opened for one query and closed after
 * it.
 */
export class ReadConnections {
  readonly #settings: GeoPackageStoreSettings
  readonly #keepMs: number
  #idle: ReadConnection[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(settings: GeoPackageStoreSettings, keepMs: number) {
    this.#settings = settings
    this.#keepMs = keepMs
  }

  /** Returns a connection that reads the present state. The caller must give it back. */
  take(): ReadConnection {
    const connection = this.#takeIdle() ?? new ReadConnection(this.#settings)
    try {
      connection.begin()
      return connection
    } catch (error) {
      connection.close()
      if (this.#settings.isReadOnly === true || !lacksRoom(error)) throw error
      return this.#takeWithoutLog()
    }
  }

  /**
   * Opens the file without its log, which needs further files, for which a full disk has no space. The
   * connection is not reused.
   */
  #takeWithoutLog(): ReadConnection {
    const connection = new ReadConnection({ ...this.#settings, isReadOnly: true })
    try {
      connection.begin()
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  giveBack(connection: ReadConnection): void {
    try {
      connection.end()
    } catch {
      connection.close()
      return
    }
    if (this.#keepMs === 0 || this.#idle.length >= maxIdle) connection.close()
    else this.#idle.push(connection)
    if (this.#idle.length > 0) this.#closeLater()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const connection of this.#idle) connection.close()
    this.#idle = []
  }

  #takeIdle(): ReadConnection | undefined {
    const connection = this.#idle.pop()
    if (connection === undefined || connection.identity === identityOf(this.#settings)) return connection
    connection.close()
    this.close()
    return undefined
  }

  #closeLater(): void {
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.close(), this.#keepMs).unref()
    else this.#timer.refresh()
  }
}
