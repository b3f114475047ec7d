import { Failure } from '../errors/errors.ts'
import { currentGuard } from '../files/guarded-files.ts'
import { Stopwatch } from '../time/stopwatch.ts'
import type {
  CallLimits,
  CallOptions,
  CallParameters,
  ChunkOf,
  HandlerName,
  Handlers,
  ResultOf,
} from './handlers.ts'
import type { FromWorker, ToWorker, TransferList } from './messages.ts'
import { PendingCall } from './pending-call.ts'

/** Connection to a thread or child process. */
export interface Carrier {
  post(message: ToWorker, transfer?: TransferList): void
  /** Sets whether the worker keeps this process alive. */
  hold(isHeld: boolean): void
  /** Terminates it. */
  kill(): void
  /** Makes it available to another starter instead of ending it. Absent if that is impossible. */
  release?: (() => Promise<void>) | undefined
  /** Returns its CPU time; undefined if it cannot be measured. `tid`: thread id that it reported when it was ready. */
  cpuMs(tid: number | undefined): number | undefined
  /** True if it waits for something else than a processor. */
  isIdle(tid: number | undefined): boolean
}

/** Events of a thread or process. */
export interface CarrierEvents {
  onMessage(message: FromWorker): void
  /** Called when it has ended, for any reason. */
  onEnd(error: Error): void
}

/** Options for starting any worker. */
export interface StartOptions {
  /** Plain data passed to the function that creates the handlers. */
  data?: unknown
  /** Receives notices outside calls. */
  onReport?(notice: unknown): void
  /**
   * Called when the worker ended by itself, or was killed because a call exceeded its limit. Running calls
   * have failed, and later calls fail.
   */
  onEnd?(error: Error): void
}

/** The error for a thread or process that ended before it completed the call. */
export class WorkerEnded extends Error {
  readonly code = 'worker-ended'
  /** The signal that ended a process. */
  readonly signal: NodeJS.Signals | undefined

  constructor(message: string, { signal, ...options }: ErrorOptions & { signal?: NodeJS.Signals } = {}) {
    super(message, options)
    this.name = 'WorkerEnded'
    this.signal = signal
  }
}

/** The error for a worker that ended before it began the call, so that another worker can take the call. */
export class NotBegun extends WorkerEnded {}

type AnyOptions = CallOptions<unknown, unknown, unknown>

/** Time that `end` waits: a thread inside a native function cannot be ended. */
const endMs = 1000
/** Time limit for a worker's start while a call waits for it. */
const startMs = 300_000
const defaultAhead = 2

/**
 * A thread or child process that serves its `Handlers`, started by `startThread` or `startProcess`. Keeps
 * this process alive only during calls.
 */
export class WorkerHandle<H extends Handlers> {
  readonly #carrier: Carrier
  readonly #calls = new Map<number, PendingCall>()
  readonly #gone = Promise.withResolvers<void>()
  readonly #onEnd: StartOptions['onEnd']
  readonly #start: Stopwatch
  #count = 0
  /** Number of calls whose callers are waiting. */
  #waiting = 0
  #isReady = false
  #canReset = false
  #tid: number | undefined
  #end: Error | undefined

  constructor(open: (events: CarrierEvents) => Carrier, { data, onReport, onEnd }: StartOptions = {}) {
    this.#onEnd = onEnd
    this.#start = new Stopwatch({
      limitMs: startMs,
      cpuMs: () => undefined,
      onOver: () => this.#kill(startsTooLong()),
    })
    this.#carrier = open({
      onMessage: (message) => {
        if (message.type === 'told') onReport?.(message.notice)
        else if (message.type === 'ready') this.#ready(message)
        else if (message.type !== 'reset') this.#calls.get(message.id)?.take(message)
      },
      onEnd: (error) => {
        this.#gone.resolve()
        this.#finish(error)
      },
    })
    this.#carrier.post({ type: 'start', data, guard: currentGuard() })
    this.#carrier.hold(false)
  }

  /** True once it begins calls at once. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Why it accepts no more calls; undefined if it does. */
  get endedBy(): Error | undefined {
    return this.#end
  }

  /**
   * Throws the handler's error, the signal's reason, `Failure` (`unavailable`; `too-slow` or `no-progress`)
   * if a limit ended the call, `NotBegun` if the worker ended before it began the call, `WorkerEnded` if it
   * ended later.
   */
  call<K extends HandlerName<H>>(
    name: K,
    ...[argument, options]: CallParameters<H, K>
  ): Promise<ResultOf<H, K>> {
    const call = this.#begin(name, argument, (options ?? {}) as AnyOptions)
    return call.result as Promise<ResultOf<H, K>>
  }

  /**
   * Yields the chunks of a generator; at most two are produced ahead. Time in which the consumer requests
   * none does not count for the limits. A consumer that stops reading stops the generator.
   */
  async *stream<K extends HandlerName<H>>(
    name: K,
    ...[argument, options]: CallParameters<H, K>
  ): AsyncGenerator<ChunkOf<H, K>, void, undefined> {
    const call = this.#begin(name, argument, (options ?? {}) as AnyOptions, defaultAhead)
    try {
      for (let chunk = await call.next(); chunk !== undefined; chunk = await call.next()) {
        call.pause()
        yield chunk.value as ChunkOf<H, K>
        call.resume()
      }
    } finally {
      await call.leave()
    }
  }

  /**
   * Ends the worker at once; waiting callers get an error. Returns when it has ended, or after a second if it
   * cannot be ended.
   */
  async end(): Promise<void> {
    const closed = new WorkerEnded('The worker was closed')
    const isFree = this.#canReset && this.#calls.size === 0 && this.#end === undefined
    if (isFree && this.#carrier.release !== undefined) {
      this.#finish(closed, false)
      await this.#carrier.release()
      return
    }
    this.#kill(closed, false)
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, endMs)
    })
    await Promise.race([this.#gone.promise, patience])
    clearTimeout(timer)
  }

  #begin(name: string, argument: unknown, options: CallLimits & AnyOptions, ahead?: number): PendingCall {
    this.#count += 1
    const id = this.#count
    const call = new PendingCall(id, options, {
      send: (message) => {
        if (this.#end === undefined) this.#carrier.post(message)
      },
      kill: (error) => this.#kill(error),
      cpuMs: () => this.#carrier.cpuMs(this.#tid),
      isIdle: () => this.#carrier.isIdle(this.#tid),
      onSettled: () => this.#release(),
      onDone: () => void this.#calls.delete(id),
    })
    this.#waiting += 1
    if (this.#end !== undefined) call.fail(this.#end)
    else if (options.signal?.aborted === true) call.fail(options.signal.reason)
    else {
      this.#calls.set(id, call)
      this.#carrier.hold(true)
      try {
        const { beatMs, needsReport } = call
        const how = { ahead, beatMs, reportBegun: needsReport ? true : undefined }
        this.#carrier.post({ type: 'call', id, name, argument, ...how }, options.transfer)
        if (!this.#isReady) this.#start.run()
        call.start()
        if (this.#isReady && !needsReport) call.begin()
      } catch (error) {
        call.fail(error)
      }
    }
    return call
  }

  #release(): void {
    this.#waiting -= 1
    if (this.#waiting > 0) return
    this.#start.pause()
    if (this.#end === undefined) this.#carrier.hold(false)
  }

  #ready({ tid, canReset }: Extract<FromWorker, { type: 'ready' }>): void {
    this.#isReady = true
    this.#canReset = canReset === true
    this.#tid = tid
    this.#start.stop()
    for (const call of this.#calls.values()) if (!call.needsReport) call.begin()
  }

  #kill(error: Error, isReported = true): void {
    if (this.#end !== undefined) return
    this.#carrier.kill()
    this.#finish(error, isReported)
  }

  #finish(error: Error, isReported = true): void {
    if (this.#end !== undefined) return
    this.#end = error
    this.#carrier.hold(false)
    this.#start.stop()
    for (const call of [...this.#calls.values()])
      call.fail(
        this.#isReady && !call.isBegun && isReported ? new NotBegun(error.message, { cause: error }) : error,
      )
    if (isReported) this.#onEnd?.(error)
  }
}

function startsTooLong(): Failure {
  const text = `A worker was not ready within ${startMs / 1000} s of its start`
  return new Failure('unavailable', 'worker-not-started', text, { retryAfterSeconds: 10 })
}
