import { workOwner } from '../concurrency/acting.ts'
import { isTracing, traced } from '../telemetry/tracing.ts'
import type { CallLimits, CallParameters, ChunkOf, HandlerName, Handlers, ResultOf } from './handlers.ts'
import type { PlaceOptions, WorkQueueOptions } from './work-queue.ts'
import { WorkQueue } from './work-queue.ts'
import type { StartOptions, WorkerHandle } from './worker-handle.ts'
import { NotBegun } from './worker-handle.ts'

/** Size of a pool, how its workers are started, and when they end. */
export interface WorkPoolOptions<H extends Handlers> {
  /** Starts one more worker: `(options) => startThread(file, options)` or `startProcess`. */
  start(options: Pick<StartOptions, 'onEnd'>): WorkerHandle<H>
  /** Maximum number of workers; further calls wait in the order of arrival. */
  limit: number
  /** Concurrent calls per worker, for calls that mostly wait. Default: one. */
  share?: number
  /**
   * Number of concurrent heavy calls (`isHeavy`). The remaining capacity is reserved for light calls.
   * Default: all.
   */
  heavyLimit?: number
  /** Number of concurrent calls of one owner. Default: all. */
  ownerLimit?: number
  /** Number of idle workers that are retained. Default: none. */
  kept?: number
  /** Idle time after which a worker beyond the minimum ends; default 3 seconds. */
  surplusMs?: number
  maxWaiting?: WorkQueueOptions['maxWaiting']
  /** A worker ended by itself or by a limit; the pool starts another when needed. */
  onEnd?(error: Error): void
}

interface Member<H extends Handlers> {
  worker: WorkerHandle<H>
  calls: number
  /** Key of the last call. */
  key: string | undefined
  /** Timer that ends the worker after the idle time. */
  leaving: NodeJS.Timeout | undefined
}

/** Scheduling options of a call. The default owner is that of the request on whose behalf the call is made. */
interface Preference extends Pick<PlaceOptions, 'owner' | 'resource' | 'isHeavy'> {
  /** Prefers the worker that had this key last, if that worker is not busier than others. */
  key?: string | undefined
}

type Assignment = Preference & Pick<CallLimits, 'signal' | 'transfer'>

const defaultSurplusMs = 3000
/** Number of calls given to a worker that starts, before another worker starts beside it. */
const callsOfStarting = 2
/** Number of workers that are tried for a call that none has begun. */
const maxAttempts = 3
const closed = (): Error => new Error('The workers are closed')

/**
 * True if a worker died before it began the call and the argument was not transferred: the call goes to
 * another worker.
 */
function mayRepeat(error: unknown, attempt: number, { transfer = [] }: Assignment): boolean {
  return error instanceof NotBegun && attempt < maxAttempts && transfer.length === 0
}

function placeOptions({ owner = workOwner(), resource, isHeavy, signal }: Assignment): PlaceOptions {
  return { owner, resource, isHeavy, signal }
}

/** A pool of threads or processes with the same handlers. */
export class WorkPool<H extends Handlers> {
  readonly #options: WorkPoolOptions<H>
  readonly #queue: WorkQueue
  readonly #all = new Set<Member<H>>()
  readonly #idle: Member<H>[] = []
  #isClosed = false

  constructor(options: WorkPoolOptions<H>) {
    this.#options = options
    const { limit, share = 1, heavyLimit, ownerLimit, maxWaiting } = options
    this.#queue = new WorkQueue({ limit: limit * share, heavyLimit, ownerLimit, workers: limit, maxWaiting })
  }

  /** Number of running calls. */
  get running(): number {
    return this.#queue.running
  }

  /** Number of calls that wait for a worker. */
  get waiting(): number {
    return this.#queue.waiting
  }

  /** Number of started workers without work. */
  get idle(): number {
    return this.#idle.length
  }

  /** Like `call` of a `WorkerHandle`; limits begin when a worker takes it. */
  async call<K extends HandlerName<H>>(
    name: K,
    ...parameters: CallParameters<H, K, Preference>
  ): Promise<ResultOf<H, K>> {
    const placement = placeOptions(parameters[1] ?? {})
    const leave = this.#queue.enterNow(placement) ?? (await this.#queue.enter(placement))
    try {
      return await this.callNow(name, ...parameters)
    } finally {
      leave()
    }
  }

  /**
   * Waits for the capacity of one call, for callers that choose the argument only when the call can begin. The
   * caller makes its calls with `callNow`, one after another, and then calls the returned function.
   */
  async enter(options: Preference & Pick<PlaceOptions, 'groups' | 'signal'>): Promise<() => void> {
    return this.#queue.enter({ ...placeOptions(options), groups: options.groups })
  }

  /** Like `call`, within capacity from `enter`. */
  async callNow<K extends HandlerName<H>>(
    name: K,
    ...parameters: CallParameters<H, K, Preference>
  ): Promise<ResultOf<H, K>> {
    const options: Assignment = parameters[1] ?? {}
    for (let attempt = 1; ; attempt += 1) {
      const member = this.#take(options.key)
      try {
        const work = (): Promise<ResultOf<H, K>> =>
          member.worker.call(name, ...(parameters as CallParameters<H, K>))
        // Without tracing, no promise is added to the reads of tiles.
        return await (isTracing() ? traced(`worker ${name}`, {}, work) : work())
      } catch (error) {
        if (!mayRepeat(error, attempt, options)) throw error
      } finally {
        this.#giveBack(member)
      }
    }
  }

  /** Like `stream` of a `WorkerHandle`; holds a worker until the stream ends or its consumer stops. */
  async *stream<K extends HandlerName<H>>(
    name: K,
    ...parameters: CallParameters<H, K, Preference>
  ): AsyncGenerator<ChunkOf<H, K>, void, undefined> {
    const options: Assignment = parameters[1] ?? {}
    const place = placeOptions(options)
    for (let attempt = 1; ; attempt += 1) {
      const leave = this.#queue.enterNow(place) ?? (await this.#queue.enter(place))
      let member: Member<H> | undefined
      try {
        member = this.#take(options.key)
        yield* member.worker.stream(name, ...(parameters as CallParameters<H, K>))
        return
      } catch (error) {
        if (!mayRepeat(error, attempt, options)) throw error
      } finally {
        if (member !== undefined) this.#giveBack(member)
        leave()
      }
    }
  }

  /** Ends all workers; running and waiting calls fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#queue.close(closed())
    await Promise.all([...this.#all].map((member) => this.#dismiss(member)))
  }

  #take(key: string | undefined): Member<H> {
    if (this.#isClosed) throw closed()
    const at = this.#idle.findLastIndex((one) => one.key === key)
    const [idle] = this.#idle.splice(at, 1)
    const isFull = idle === undefined && this.#all.size >= this.#options.limit
    const member = idle ?? this.#starting() ?? (isFull ? this.#leastBusy(key) : this.#start())
    member.key = key ?? member.key
    member.calls += 1
    clearTimeout(member.leaving)
    return member
  }

  /** A worker that starts at the moment and has few calls: a further worker would not begin the call earlier. */
  #starting(): Member<H> | undefined {
    const most = Math.min(this.#options.share ?? 1, callsOfStarting)
    return [...this.#all].find(({ worker, calls }) => !worker.isReady && calls < most)
  }

  #leastBusy(key: string | undefined): Member<H> {
    const members = [...this.#all]
    const fewest = Math.min(...members.map(({ calls }) => calls))
    const least = members.filter(({ calls }) => calls === fewest)
    return least.find((one) => one.key === key) ?? least[0] ?? this.#start()
  }

  #giveBack(member: Member<H>): void {
    member.calls -= 1
    if (!this.#all.has(member) || member.calls > 0) return
    if (this.#isClosed) {
      void this.#dismiss(member)
      return
    }
    const { kept = 0, surplusMs = defaultSurplusMs } = this.#options
    if (this.#idle.length >= kept && surplusMs !== Number.POSITIVE_INFINITY) {
      member.leaving = setTimeout(() => void this.#dismiss(member), surplusMs).unref()
    }
    this.#idle.push(member)
  }

  #start(): Member<H> {
    const worker = this.#options.start({
      onEnd: (error) => {
        this.#remove(member)
        if (!this.#isClosed) this.#options.onEnd?.(error)
      },
    })
    const member: Member<H> = { worker, calls: 0, key: undefined, leaving: undefined }
    this.#all.add(member)
    return member
  }

  async #dismiss(member: Member<H>): Promise<void> {
    this.#remove(member)
    await member.worker.end()
  }

  #remove(member: Member<H>): void {
    clearTimeout(member.leaving)
    this.#all.delete(member)
    const at = this.#idle.indexOf(member)
    if (at >= 0) this.#idle.splice(at, 1)
  }
}
