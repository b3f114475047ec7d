import type { Database } from '../../db/connection.ts'

const rememberedRows = 2000

interface Remembered<Row> {
  row: Row
  /** As `Database.writes` was before it was looked up. */
  writes: number
}

/** Rows by their numbers as they are now. Where nobody has written to the catalogue since, nothing is asked. */
export class FoundRows<Row> {
  readonly #database: Database
  readonly #find: (kysely: Database['kysely'], id: number) => Promise<Row>
  readonly #known = new Map<number, Remembered<Row>>()

  constructor(database: Database, find: (kysely: Database['kysely'], id: number) => Promise<Row>) {
    this.#database = database
    this.#find = find
  }

  /** Throws what looking for it throws. */
  async get(id: number): Promise<Row> {
    const writes = this.#database.writes()
    const known = this.#known.get(id)
    if (known !== undefined && known.writes === writes) return known.row
    const row = await this.#find(this.#database.kysely, id)
    if (this.#known.size >= rememberedRows) this.#known.clear()
    if (writes !== undefined) this.#known.set(id, { row, writes })
    return row
  }
}
