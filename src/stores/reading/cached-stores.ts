import { openVectorStore } from '../registry.ts'
import type { StoreConnection, VectorStore } from '../store.ts'

const maxKept = 16
/** Time for which unused stores, and connections in them, stay open, in milliseconds. */
const keepMs = 2000

interface CachedStore {
  store: VectorStore
  users: number
  timer: NodeJS.Timeout | undefined
}

/** Opens stores for queries and caches them. */
export class CachedStores {
  readonly #isProcess: boolean
  readonly #kept = new Map<string, CachedStore>()

  constructor({ isProcess }: { isProcess: boolean }) {
    this.#isProcess = isProcess
  }

  async use<T>(connection: StoreConnection, work: (store: VectorStore) => Promise<T>): Promise<T> {
    const kept = this.#take(connection)
    try {
      return await work(kept.store)
    } finally {
      this.#giveBack(connection, kept)
    }
  }

  async *stream<T>(
    connection: StoreConnection,
    work: (store: VectorStore) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const kept = this.#take(connection)
    try {
      yield* work(kept.store)
    } finally {
      this.#giveBack(connection, kept)
    }
  }

  /** Closes a store that is not in use; the next query opens another one. */
  async forget(connection: StoreConnection): Promise<void> {
    const key = JSON.stringify(connection)
    const kept = this.#kept.get(key)
    this.#kept.delete(key)
    if (kept?.users === 0) await close(kept)
  }

  /** Closes all stores that are not in use. */
  async close(): Promise<void> {
    const stores = [...this.#kept.values()]
    this.#kept.clear()
    await Promise.all(stores.map((kept) => (kept.users === 0 ? close(kept) : undefined)))
  }

  #take(connection: StoreConnection): CachedStore {
    const key = JSON.stringify(connection)
    const kept = this.#kept.get(key) ?? {
      store: openVectorStore(connection, {
        keepReadingMs: keepMs,
        refusesTraps: !this.#isProcess,
        isGuarded: this.#isProcess,
      }),
      users: 0,
      timer: undefined,
    }
    clearTimeout(kept.timer)
    kept.users += 1
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    return kept
  }

  #giveBack(connection: StoreConnection, kept: CachedStore): void {
    kept.users -= 1
    if (kept.users > 0) return
    const key = JSON.stringify(connection)
    if (this.#kept.get(key) !== kept) {
      void close(kept)
      return
    }
    kept.timer = setTimeout(() => void this.forget(connection), keepMs)
    const [oldest] = this.#kept.values()
    if (this.#kept.size <= maxKept || oldest === undefined || oldest.users > 0) return
    const [oldestKey = ''] = this.#kept.keys()
    this.#kept.delete(oldestKey)
    void close(oldest)
  }
}

async function close({ store, timer }: CachedStore): Promise<void> {
  clearTimeout(timer)
  await store.close().catch(() => undefined)
}
