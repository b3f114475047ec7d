import type { Database } from '../../db/connection.ts'
import type { StoreRecord } from '../records.ts'
import { getStoreById } from '../rows/store-rows.ts'

const rememberedStores = 2000

interface Remembered {
  store: StoreRecord
  /** As `Database.writes` was before it was looked up. */
  writes: number
}

/** Stores by their numbers as they are now. Where nobody has written to the catalogue since, nothing is asked. */
export class FoundStores {
  readonly #database: Database
  readonly #known = new Map<number, Remembered>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Throws `Failure` (`not-found`) for a store that does not exist. */
  async get(id: number): Promise<StoreRecord> {
    const writes = this.#database.writes()
    const known = this.#known.get(id)
    if (known !== undefined && known.writes === writes) return known.store
    const store = await getStoreById(this.#database.kysely, id)
    if (this.#known.size >= rememberedStores) this.#known.clear()
    if (writes !== undefined) this.#known.set(id, { store, writes })
    return store
  }
}
