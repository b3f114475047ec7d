import type { PlaceOptions } from '../../lib/workers/work-queue.ts'
import { WorkQueue } from '../../lib/workers/work-queue.ts'

/** Limits on concurrent and waiting tiles. */
export interface TileLaneLimits {
  /** Maximum in total: less than the capacity of the pool, so that other queries find a free slot. */
  most: number
  /** Maximum of one store: a slow store leaves slots for others. */
  ofStore: number
  maxWaiting: { count: number; refuse(): Error }
}

/** Scheduling options of a tile. */
export type TileShare = Pick<PlaceOptions, 'owner' | 'resource'> & { signal: AbortSignal }

/**
 * Limits concurrent tiles, so that tiles do not occupy all slots of a pool, and tiles of one store not those
 * of others. Slots are shared fairly between owners.
 */
export class TileLane {
  readonly #all: WorkQueue
  readonly #limits: TileLaneLimits
  /** By store; only those with work. */
  readonly #stores = new Map<string, { queue: WorkQueue; users: number }>()
  #waiting = 0

  constructor(limits: TileLaneLimits) {
    this.#limits = limits
    this.#all = new WorkQueue({ limit: limits.most })
  }

  /** Runs work when a slot is free. Aborting the signal removes waiting work from the queue. */
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
