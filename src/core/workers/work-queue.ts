import { workMeter } from '../concurrency/acting.ts'
import { SharedTime } from './shared-time.ts'

/** Limits of a queue. */
export interface WorkQueueOptions {
  /** Number of items that run at the same time. Default: unlimited. */
  limit?: number
  /**
   * Number of concurrent heavy items. The remaining capacity is reserved for light items. Default: `limit`.
   */
  heavyLimit?: number
  /** Number of concurrent items of one owner. Default: `limit`. */
  ownerLimit?: number
  /** Number of workers that the items share, to measure heavy items. Default: `limit`. */
  workers?: number
  /** Maximum number of waiting items. A further item is refused with this error. */
  maxWaiting?: { count: number; refuse(): Error }
}

/** Some of the items, with a limit of their own. */
export interface ItemGroup {
  name: string
  /** Number of its items that run at the same time. */
  limit: number
}

/** Scheduling options of one item. */
export interface PlaceOptions {
  /** Items with the same key run one after the other. */
  key?: string | undefined
  /**
   * Owner of the item. Capacity is shared fairly between owners; items without an owner count as one owner.
   */
  owner?: string | undefined
  /** Subject of the item, such as a layer. The share of an owner is divided fairly between its resources. */
  resource?: string | undefined
  /** True if the item may take much longer than most. See `heavyLimit`. */
  isHeavy?: boolean | undefined
  /** Groups of the item. It starts when each of them is below its limit. */
  groups?: readonly ItemGroup[] | undefined
  /** Removes the item while it waits. A running item must listen to the signal itself. */
  signal?: AbortSignal | undefined
}

type Item = Pick<PlaceOptions, 'key' | 'owner' | 'resource' | 'isHeavy' | 'groups'>

interface Waiter extends Item {
  begin(): void
  refuse(reason: unknown): void
}

/** Running and waiting items of one owner or resource; exists only while there is one. */
interface Account {
  running: number
  waiting: number
  /** Position of its last start in the sequence of all starts; 0 before the first. */
  lastStart: number
}

interface Owner extends Account {
  /** Accounts of the resources of an owner, by name. */
  resources: Map<string | undefined, Account>
}

/**
 * Runs items under a limit, one at a time per key. The next item is that of the owner with the fewest running
 * items, then of the owner whose last start is the longest ago; among the items of one owner, the same rules
 * choose the resource; then the oldest item. So an owner with many items delays those of others by at most
 * one item. An item that holds a key must not wait for the same key.
 */
export class WorkQueue {
  readonly #limit: number
  readonly #heavyLimit: number
  readonly #ownerLimit: number
  readonly #maxWaiting: WorkQueueOptions['maxWaiting']
  /** Items whose key is free, in order of arrival; they wait only for the limits. */
  readonly #ready: Waiter[] = []
  /** Items that wait for their key. A key is present while an item holds it or is ready to run with it. */
  readonly #lines = new Map<string, Waiter[]>()
  readonly #owners = new Map<string | undefined, Owner>()
  /** Number of running items of each group; only groups that have some. */
  readonly #groups = new Map<string, number>()
  readonly #heavyTime: SharedTime
  #running = 0
  #runningHeavy = 0
  #waiting = 0
  #starts = 0
  #closed: { reason: unknown } | undefined

  constructor({
    limit = Number.POSITIVE_INFINITY,
    heavyLimit = limit,
    ownerLimit = limit,
    workers = limit,
    maxWaiting,
  }: WorkQueueOptions = {}) {
    this.#heavyTime = new SharedTime(workers)
    this.#limit = limit
    this.#heavyLimit = heavyLimit
    this.#ownerLimit = ownerLimit
    this.#maxWaiting = maxWaiting
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Runs the item when there is capacity. An item that fails does not stop the queue. */
  async run<T>(work: () => Promise<T> | T, options: PlaceOptions = {}): Promise<T> {
    const leave = this.enterNow(options) ?? (await this.enter(options))
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Waits for capacity. The caller must call the returned function when the item has ended. */
  async enter(options: PlaceOptions = {}): Promise<() => void> {
    const now = this.enterNow(options)
    if (now !== undefined) return now
    await this.#wait(options)
    return this.#leaving(options)
  }

  /** Like `enter`, but returns undefined if the item would have to wait. */
  enterNow(options: PlaceOptions = {}): (() => void) | undefined {
    options.signal?.throwIfAborted()
    if (this.#closed !== undefined) throw this.#closed.reason
    const { key } = options
    if (!this.#hasCapacity(options) || (key !== undefined && this.#lines.has(key))) return undefined
    if (key !== undefined) this.#lines.set(key, [])
    this.#start(options)
    return this.#leaving(options)
  }

  /** Refuses waiting and new items with `reason`. Running items continue. */
  close(reason: unknown): void {
    this.#closed = { reason }
    for (const waiter of [...this.#ready, ...[...this.#lines.values()].flat()]) waiter.refuse(reason)
  }

  #leaving(item: Item): () => void {
    const charge = item.isHeavy === true ? this.#measure(item) : undefined
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      charge?.()
      this.#end(item)
    }
  }

  /** Measures a heavy item on behalf of a request; the returned function reports its time to the meter. */
  #measure({ owner }: Item): () => void {
    const meter = workMeter()
    const end = this.#heavyTime.begin()
    return () => {
      const seconds = end()
      if (owner !== undefined) meter?.add(owner, seconds)
    }
  }

  #hasCapacity({ owner, isHeavy = false, groups }: Item): boolean {
    if (this.#running >= this.#limit || (isHeavy && this.#runningHeavy >= this.#heavyLimit)) return false
    if (groups !== undefined)
      for (const { name, limit } of groups) if ((this.#groups.get(name) ?? 0) >= limit) return false
    return (this.#owners.get(owner)?.running ?? 0) < this.#ownerLimit
  }

  #start(item: Item): void {
    this.#running += 1
    if (item.isHeavy === true) this.#runningHeavy += 1
    this.#starts += 1
    this.#countInGroups(item, 1)
    for (const account of this.#accountsOf(item)) {
      account.running += 1
      account.lastStart = this.#starts
    }
  }

  #end(item: Item): void {
    this.#running -= 1
    if (item.isHeavy === true) this.#runningHeavy -= 1
    this.#countInGroups(item, -1)
    for (const account of this.#accountsOf(item)) account.running -= 1
    this.#forgetIdle(item)
    this.#freeKey(item.key)
    this.#fill()
  }

  #countInGroups({ groups }: Item, change: 1 | -1): void {
    if (groups === undefined) return
    for (const { name } of groups) {
      const running = (this.#groups.get(name) ?? 0) + change
      if (running === 0) this.#groups.delete(name)
      else this.#groups.set(name, running)
    }
  }

  async #wait({ signal, ...item }: PlaceOptions): Promise<void> {
    this.#makeRoom(item.owner)
    const turn = Promise.withResolvers<void>()
    const waiter: Waiter = {
      ...item,
      begin: turn.resolve,
      refuse: (reason) => this.#refuse(waiter, turn, reason),
    }
    const abort = (): void => waiter.refuse(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    this.#waiting += 1
    for (const account of this.#accountsOf(item)) account.waiting += 1
    this.#place(waiter)
    try {
      await turn.promise
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /**
   * If the queue is full, refuses the newest item of the owner with the most waiting items, or the new one.
   */
  #makeRoom(owner: string | undefined): void {
    const maxWaiting = this.#maxWaiting
    if (maxWaiting === undefined || this.#waiting < maxWaiting.count) return
    const mine = this.#owners.get(owner)?.waiting ?? 0
    const [longest, account] = [...this.#owners].reduce((a, b) => (b[1].waiting > a[1].waiting ? b : a))
    if (account.waiting <= mine + 1) throw maxWaiting.refuse()
    const theirs = [...this.#ready, ...[...this.#lines.values()].flat()].filter(
      (one) => one.owner === longest,
    )
    theirs.at(-1)?.refuse(maxWaiting.refuse())
  }

  #place(waiter: Waiter): void {
    const line = waiter.key === undefined ? undefined : this.#lines.get(waiter.key)
    if (line !== undefined) line.push(waiter)
    else {
      if (waiter.key !== undefined) this.#lines.set(waiter.key, [])
      this.#ready.push(waiter)
    }
  }

  #refuse(waiter: Waiter, turn: PromiseWithResolvers<void>, reason: unknown): void {
    const at = this.#ready.indexOf(waiter)
    if (at >= 0) {
      this.#ready.splice(at, 1)
      this.#stopWaiting(waiter)
      this.#freeKey(waiter.key)
      this.#fill()
    } else if (waiter.key !== undefined) {
      const line = this.#lines.get(waiter.key) ?? []
      const index = line.indexOf(waiter)
      if (index < 0) return
      line.splice(index, 1)
      this.#stopWaiting(waiter)
    }
    turn.reject(reason)
  }

  #stopWaiting(item: Item): void {
    this.#waiting -= 1
    for (const account of this.#accountsOf(item)) account.waiting -= 1
    this.#forgetIdle(item)
  }

  /** Makes the next item of this key ready. */
  #freeKey(key: string | undefined): void {
    if (key === undefined) return
    const next = this.#lines.get(key)?.shift()
    if (next === undefined) this.#lines.delete(key)
    else this.#ready.push(next)
  }

  #fill(): void {
    if (this.#closed !== undefined) return
    while (this.#running < this.#limit) {
      const at = this.#nextReady()
      const [next] = at < 0 ? [] : this.#ready.splice(at, 1)
      if (next === undefined) return
      this.#start(next)
      this.#stopWaiting(next)
      next.begin()
    }
  }

  /** Index of the item that starts next; -1 if none may start. */
  #nextReady(): number {
    let best = -1
    let bestAccounts: [Owner, Account] | undefined
    for (const [at, waiter] of this.#ready.entries()) {
      if (!this.#hasCapacity(waiter)) continue
      const accounts = this.#accountsOf(waiter)
      if (bestAccounts !== undefined && !goesBefore(accounts, bestAccounts)) continue
      best = at
      bestAccounts = accounts
    }
    return best
  }

  #accountsOf({ owner: name, resource }: Item): [Owner, Account] {
    const owner = this.#owners.get(name) ?? { ...noItems(), resources: new Map() }
    this.#owners.set(name, owner)
    const account = owner.resources.get(resource) ?? noItems()
    owner.resources.set(resource, account)
    return [owner, account]
  }

  #forgetIdle({ owner: name, resource }: Item): void {
    const [owner, account] = this.#accountsOf({ owner: name, resource })
    if (isIdle(account)) owner.resources.delete(resource)
    if (isIdle(owner)) this.#owners.delete(name)
  }
}

const noItems = (): Account => ({ running: 0, waiting: 0, lastStart: 0 })

function isIdle({ running, waiting }: Account): boolean {
  return running === 0 && waiting === 0
}

function goesBefore([owner, resource]: [Owner, Account], [other, otherResource]: [Owner, Account]): boolean {
  return owner === other ? isLessServed(resource, otherResource) : isLessServed(owner, other)
}

function isLessServed(one: Account, other: Account): boolean {
  return one.running === other.running ? one.lastStart < other.lastStart : one.running < other.running
}
