import type { Database } from '../../core/db/connection.ts'

const usuallyRemembered = 2000

interface Remembered<Row> {
  row: Row
  /** Value of `Database.writes` before the lookup. */
  writes: number
}

/** Caches rows by id or name. If nothing was written to the catalogue since, no query is needed. */
export class RowLookup<Row, Key extends number | string = number> {
  readonly #database: Database
  readonly #find: (kysely: Database['kysely'], key: Key) => Promise<Row>
  readonly #most: number
  readonly #known = new Map<Key, Remembered<Row>>()

  /** Caches up to `most` rows. */
  constructor(
    database: Database,
    find: (kysely: Database['kysely'], key: Key) => Promise<Row>,
    most = usuallyRemembered,
  ) {
    this.#database = database
    this.#most = most
    this.#find = find
  }

  /** Returns the cached row, if no query is needed. */
  known(key: Key): { row: Row } | undefined {
    const known = this.#known.get(key)
    return known?.writes === this.#database.writes() ? known : undefined
  }

  /** Throws the errors of the lookup. */
  async get(key: Key): Promise<Row> {
    const known = this.known(key)
    if (known !== undefined) return known.row
    const writes = this.#database.writes()
    const row = await this.#find(this.#database.kysely, key)
    if (this.#known.size >= this.#most) this.#known.clear()
    if (writes !== undefined) this.#known.set(key, { row, writes })
    return row
  }
}
