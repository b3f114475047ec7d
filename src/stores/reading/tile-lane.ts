import { WorkQueue } from '../../lib/workers/work-queue.ts'

/** How many tiles are made at the same time, and how many wait. */
export interface TileLaneLimits {
  /** Altogether: fewer than the pool has room for, so that other questions find a place at once. */
  most: number
  /** Of one store: one that is slow leaves room for the others. */
  ofStore: number
  maxWaiting: { count: number; refuse(): Error }
}

/** Keeps a crowd of tiles from taking every place of a pool, and that of one store from taking those of the others. */
export class TileLane {
  readonly #all: WorkQueue
  readonly #limits: TileLaneLimits
  /** By store; only those that have work. */
  readonly #stores = new Map<string, { queue: WorkQueue; users: number }>()
  #waiting = 0

  constructor(limits: TileLaneLimits) {
    this.#limits = limits
    this.#all = new WorkQueue({ limit: limits.most })
  }

  /** Does the work when its turn comes; who waits leaves when the signal aborts. */
  async run<Result>(store: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const { count, refuse } = this.#limits.maxWaiting
    if (this.#waiting >= count) throw refuse()
    const own = this.#stores.get(store) ?? { queue: new WorkQueue({ limit: this.#limits.ofStore }), users: 0 }
    this.#stores.set(store, own)
    own.users += 1
    this.#waiting += 1
    let isWaiting = true
    let leaveStore: (() => void) | undefined
    let leaveAll: (() => void) | undefined
    try {
      leaveStore = own.queue.enterNow({ signal }) ?? (await own.queue.enter({ signal }))
      leaveAll = this.#all.enterNow({ signal }) ?? (await this.#all.enter({ signal }))
      isWaiting = false
      this.#waiting -= 1
      return await work()
    } finally {
      leaveAll?.()
      leaveStore?.()
      if (isWaiting) this.#waiting -= 1
      own.users -= 1
      if (own.users === 0) this.#stores.delete(store)
    }
  }
}
