import type { BlockByteReader, ByteWriter } from './bytes.ts'

/** COUNTER Code of Practice: of actions on one item within this many seconds, one counts. */
const doubleClickSeconds = 30
/** COUNTER Code of Practice: without sessions, an hour of a visitor's day is one session. */
const sessionSeconds = 3600
/** Maximum number of visitors per day whose actions are tracked. */
const maxVisitors = 10_000

/** Usage of a layer by COUNTER's definitions. */
export interface CounterTotals {
  investigations: number
  uniqueInvestigations: number
  requests: number
  uniqueRequests: number
}

/** Seconds since the start of the day: first and last action of each chain of double clicks, in sequence. */
type Chains = number[]

interface VisitorActions {
  investigations: Chains
  requests: Chains
}

/**
 * Adds an action to chains. The result does not depend on the order in which actions are added, so that late
 * log lines count correctly.
 */
function addAction(chains: Chains, time: number): void {
  let at = chains.length
  while (at > 0 && (chains[at - 1] ?? 0) >= time - doubleClickSeconds) at -= 2
  // Chains before `at` ended before the gap. The chain at `at`, if any, ends within the gap or later.
  const start = chains[at]
  if (start === undefined || start > time + doubleClickSeconds) {
    chains.splice(at, 0, time, time)
    return
  }
  addToChain(chains, at, time)
}

function addToChain(chains: Chains, at: number, time: number): void {
  chains[at] = Math.min(chains[at] ?? time, time)
  let end = Math.max(chains[at + 1] ?? time, time)
  let next = at + 2
  while (next < chains.length && (chains[next] ?? 0) <= end + doubleClickSeconds) {
    end = Math.max(end, chains[next + 1] ?? end)
    next += 2
  }
  chains.splice(at + 1, next - at - 1, end)
}

function mergeChains(chains: Chains, other: Chains): void {
  for (let at = 0; at < other.length; at += 2) {
    addAction(chains, other[at] ?? 0)
    addSpan(chains, other[at] ?? 0, other[at + 1] ?? 0)
  }
}

/** Extends the chain that contains `from` up to `to`, and joins all chains in between. */
function addSpan(chains: Chains, from: number, to: number): void {
  let at = 0
  while (at < chains.length && (chains[at + 1] ?? 0) < from) at += 2
  addToChain(chains, at, to)
}

/** Counts chains: each is one action, in the session of its last click. */
function totalOf(chains: Chains): { total: number; unique: number } {
  let unique = 0
  let lastSession = -1
  for (let at = 1; at < chains.length; at += 2) {
    const session = Math.floor((chains[at] ?? 0) / sessionSeconds)
    if (session !== lastSession) unique += 1
    lastSession = session
  }
  return { total: chains.length / 2, unique }
}

function noTotals(): CounterTotals {
  return { investigations: 0, uniqueInvestigations: 0, requests: 0, uniqueRequests: 0 }
}

/** Investigations and requests of one layer, day and kind of access. */
export class CounterUse {
  readonly #closed = noTotals()
  readonly #visitors = new Map<number, VisitorActions>()

  static read(reader: BlockByteReader): CounterUse {
    const use = new CounterUse()
    use.#closed.investigations = reader.integer()
    if (use.#closed.investigations > 0) {
      use.#closed.uniqueInvestigations = reader.integer()
      use.#closed.requests = reader.integer()
      use.#closed.uniqueRequests = reader.integer()
    }
    for (let left = reader.integer(); left > 0; left -= 1) {
      const visitor = reader.integer()
      use.#visitors.set(visitor, { investigations: readChains(reader), requests: readChains(reader) })
    }
    return use
  }

  /**
   * Adds a request at `time`, in seconds since the start of the day. A request without a visitor counts
   * separately.
   */
  add(visitor: number | undefined, time: number, isRequest: boolean): void {
    if (visitor === undefined) {
      addTotals(
        this.#closed,
        totalsOf({ investigations: [time, time], requests: isRequest ? [time, time] : [] }),
      )
      return
    }
    const actions = this.#actionsOf(visitor)
    addAction(actions.investigations, time)
    if (isRequest) addAction(actions.requests, time)
  }

  merge(other: CounterUse): void {
    addTotals(this.#closed, other.#closed)
    for (const [visitor, { investigations, requests }] of other.#visitors) {
      if (!this.#visitors.has(visitor) && this.#visitors.size >= maxVisitors) {
        addTotals(this.#closed, totalsOf({ investigations, requests }))
        continue
      }
      const mine = this.#actionsOf(visitor)
      mergeChains(mine.investigations, investigations)
      mergeChains(mine.requests, requests)
    }
  }

  totals(): CounterTotals {
    const totals = { ...this.#closed }
    for (const actions of this.#visitors.values()) addTotals(totals, totalsOf(actions))
    return totals
  }

  /** Discards data of single visitors. */
  close(): void {
    Object.assign(this.#closed, this.totals())
    this.#visitors.clear()
  }

  write(writer: ByteWriter): void {
    const { investigations, uniqueInvestigations, requests, uniqueRequests } = this.#closed
    writer.integer(investigations)
    if (investigations > 0)
      for (const total of [uniqueInvestigations, requests, uniqueRequests]) writer.integer(total)
    writer.integer(this.#visitors.size)
    for (const [visitor, actions] of this.#visitors) {
      writer.integer(visitor)
      writeChains(writer, actions.investigations)
      writeChains(writer, actions.requests)
    }
  }

  #actionsOf(visitor: number): VisitorActions {
    let actions = this.#visitors.get(visitor)
    if (actions === undefined) {
      actions = { investigations: [], requests: [] }
      this.#visitors.set(visitor, actions)
    }
    return actions
  }
}

function totalsOf({ investigations, requests }: VisitorActions): CounterTotals {
  const [investigated, requested] = [totalOf(investigations), totalOf(requests)]
  return {
    investigations: investigated.total,
    uniqueInvestigations: investigated.unique,
    requests: requested.total,
    uniqueRequests: requested.unique,
  }
}

function addTotals(totals: CounterTotals, more: CounterTotals): void {
  totals.investigations += more.investigations
  totals.uniqueInvestigations += more.uniqueInvestigations
  totals.requests += more.requests
  totals.uniqueRequests += more.uniqueRequests
}

function readChains(reader: BlockByteReader): Chains {
  const chains: Chains = []
  let time = 0
  for (let left = reader.integer(); left > 0; left -= 1) {
    time += reader.integer()
    chains.push(time)
  }
  return chains
}

function writeChains(writer: ByteWriter, chains: Chains): void {
  writer.integer(chains.length)
  let last = 0
  for (const time of chains) {
    writer.integer(time - last)
    last = time
  }
}
