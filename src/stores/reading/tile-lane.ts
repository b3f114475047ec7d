import type { PlaceOptions } from '../../lib/workers/work-queue.ts'
import { WorkQueue } from '../../lib/workers/work-queue.ts'

/** How many tiles are made at the same time, and how many wait. */
export interface TileLaneLimits {
  /** Altogether: fewer than the pool has room for, so that other questions find a place at once. */
  most: number
  /** Of one store: one that is slow leaves room for the others. */
  ofStore: number
  maxWaiting: { count: number; refuse(): Error }
}

/** Scheduling options of a tile. */
export type TileShare = Pick<PlaceOptions, 'owner' | 'resource'> & { signal: AbortSignal }

/**
 * Keeps a crowd of tiles from taking every place of a pool, and that of one store from taking those of the others. Places are
 * shared fairly between owners.
 */
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
  async run<Result>(store: string, work: () => Promise<Result>, share: TileShare): Promise<Result> {
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
      leaveStore = own.queue.enterNow(share) ?? (await own.queue.enter(share))
      leaveAll = this.#all.enterNow(share) ?? (await this.#all.enter(share))
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
