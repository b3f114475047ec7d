import type { Database } from '../../db/connection.ts'

const usuallyRemembered = 2000

interface Remembered<Row> {
  row: Row
  /** As `Database.writes` was before it was looked up. */
  writes: number
}

/** Rows by their numbers or names as they are now. Where nobody has written to the catalogue since, nothing is asked. */
export class FoundRows<Row, Key extends number | string = number> {
  readonly #database: Database
  readonly #find: (kysely: Database['kysely'], key: Key) => Promise<Row>
  readonly #most: number
  readonly #known = new Map<Key, Remembered<Row>>()

  /** `most` are remembered. */
  constructor(
    database: Database,
    find: (kysely: Database['kysely'], key: Key) => Promise<Row>,
    most = usuallyRemembered,
  ) {
    this.#database = database
    this.#most = most
    this.#find = find
  }

  /** What is known without a question. */
  known(key: Key): { row: Row } | undefined {
    const known = this.#known.get(key)
    return known?.writes === this.#database.writes() ? known : undefined
  }

  /** Throws what looking for it throws. */
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
