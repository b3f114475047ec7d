import { Failure } from '../errors/errors.ts'
import { Stopwatch } from '../time/stopwatch.ts'
import { packError, unpackError } from './error-codec.ts'
import type { CallOptions } from './handlers.ts'
import type { CallReport, ToWorker } from './messages.ts'

const defaultGraceMs = 1500
/** Effectively no limit: such a worker is never killed after an abort signal. */
const endlessMs = 2 ** 30
const longestBeatMs = 1000

interface Side {
  send(message: ToWorker): void
  /** Kills the worker. */
  kill(error: Error): void
  /** CPU time of the worker; undefined where it cannot be measured. */
  cpuMs(): number | undefined
  isIdle(): boolean
  /** Called when the caller has its result or error. */
  onSettled(): void
  /** Called when the worker will send no more reports about the call. */
  onDone(): void
}

const tooSlow = (ms: number): Failure =>
  new Failure('unavailable', 'too-slow', `It took longer than ${seconds(ms)} and was ended`)

const noProgress = (ms: number): Failure =>
  new Failure('unavailable', 'no-progress', `It made no progress for ${seconds(ms)} and was ended`)

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}

/**
 * State of one call at its caller: result, chunks and limits. If the signal aborts before the worker has
 * begun the call, the caller gets the reason at once and the worker stays, unless it begins the call later
 * and ignores the signal.
 */
export class PendingCall {
  readonly #id: number
  readonly #options: CallOptions<unknown, unknown, unknown>
  readonly #side: Side
  readonly #result = Promise.withResolvers<unknown>()
  readonly #chunks: { value: unknown }[] = []
  readonly #deadline: Stopwatch | undefined
  readonly #silence: Stopwatch | undefined
  readonly #grace: Stopwatch
  #stopReason: { reason: unknown } | undefined
  #isBegun = false
  #isSettled = false
  #isDone = false
  /** Number of reasons why the worker waits for the caller. */
  #pauses = 0
  #wake: () => void = () => undefined

  constructor(id: number, options: CallOptions<unknown, unknown, unknown>, side: Side) {
    this.#id = id
    this.#options = options
    this.#side = side
    const { deadlineMs, silenceMs, graceMs = defaultGraceMs } = options
    const limit = (limitMs: number, onOver: (ms: number) => void): Stopwatch =>
      new Stopwatch({ limitMs, onOver, cpuMs: () => side.cpuMs(), isIdle: () => side.isIdle() })
    if (deadlineMs !== undefined) this.#deadline = limit(deadlineMs, (ms) => this.#giveUp(tooSlow(ms)))
    if (silenceMs !== undefined) this.#silence = limit(silenceMs, (ms) => this.#giveUp(noProgress(ms)))
    this.#grace = limit(graceMs, () => this.#giveUp(this.#stopReason?.reason))
    this.#result.promise.catch(() => undefined)
  }

  /** Interval at which the worker must report that it responds. */
  get beatMs(): number | undefined {
    const { silenceMs } = this.#options
    return silenceMs === undefined ? undefined : Math.min(longestBeatMs, Math.ceil(silenceMs / 4))
  }

  /** True if a limit or the signal depends on whether the worker has begun the call. */
  get needsReport(): boolean {
    const { signal, deadlineMs, silenceMs, graceMs = defaultGraceMs } = this.#options
    if (deadlineMs !== undefined || silenceMs !== undefined) return true
    return signal !== undefined && graceMs < endlessMs
  }

  get isBegun(): boolean {
    return this.#isBegun
  }

  get result(): Promise<unknown> {
    return this.#result.promise
  }

  /** Call when the call was sent to the worker. */
  start(): void {
    if (!this.#isSettled) this.#options.signal?.addEventListener('abort', this.#abort, { once: true })
  }

  /** Starts the limits, when the worker runs the handler. `cpuMs`: CPU time of the worker at this moment. */
  begin(cpuMs?: number): void {
    if (this.#isBegun || this.#isDone) return
    this.#isBegun = true
    if (this.#stopReason !== undefined) this.#startGrace()
    if (this.#isSettled) return
    for (const limit of [this.#deadline, this.#silence]) {
      limit?.reset(cpuMs)
      if (this.#pauses === 0) limit?.run()
    }
  }

  take(report: CallReport): void {
    if (report.type === 'begun') this.begin(report.cpuMs)
    if (this.#isSettled) {
      if (report.type === 'result' || report.type === 'error') this.#done()
      return
    }
    this.#silence?.reset('cpuMs' in report ? report.cpuMs : undefined)
    if (report.type === 'result') {
      this.#settle(() => this.#result.resolve(report.value))
      this.#done()
    } else if (report.type === 'error') this.fail(this.#reasonOr(unpackError(report.error)))
    else if (report.type === 'notice') this.#options.onNotice?.(report.notice)
    else if (report.type === 'ask') void this.#respond(report.ask, report.query)
    else if (report.type === 'chunk') {
      this.#chunks.push({ value: report.value })
      this.#wake()
    }
  }

  fail(error: unknown): void {
    this.#settle(() => this.#result.reject(error))
    this.#done()
  }

  /**
   * Returns the next chunk; undefined after the last one. Chunks received before an error are returned first.
   */
  async next(): Promise<{ value: unknown } | undefined> {
    for (;;) {
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) {
        this.#side.send({ type: 'more', id: this.#id })
        return chunk
      }
      if (this.#isSettled) {
        await this.#result.promise
        return undefined
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Pauses the limits while the worker waits for the caller. */
  pause(): void {
    this.#pauses += 1
    this.#deadline?.pause()
    this.#silence?.pause()
  }

  resume(): void {
    this.#pauses -= 1
    if (this.#isSettled || this.#pauses > 0 || !this.#isBegun) return
    this.#deadline?.run()
    this.#silence?.run()
  }

  /** Cancels the call; returns when the worker is free of it or has ended. */
  async leave(): Promise<void> {
    this.#stop(new Error('The answer is no longer wanted'))
    await this.#result.promise.catch(() => undefined)
  }

  readonly #abort = (): void => this.#stop(this.#options.signal?.reason)

  #stop(reason: unknown): void {
    if (this.#isSettled || this.#stopReason !== undefined) return
    this.#stopReason = { reason }
    this.#side.send({ type: 'abort', id: this.#id, error: packError(reason) })
    if (this.#isBegun) this.#startGrace()
    else this.#settle(() => this.#result.reject(reason))
  }

  #startGrace(): void {
    const { graceMs = defaultGraceMs } = this.#options
    if (graceMs >= endlessMs) return
    this.#grace.reset(graceMs === 0 ? undefined : this.#side.cpuMs())
    this.#grace.run()
  }

  /** Kills the worker, unless the call has completed meanwhile. */
  #giveUp(reason: unknown): void {
    if (this.#isDone) return
    this.fail(this.#reasonOr(reason))
    this.#side.kill(reason instanceof Error ? reason : new Error(String(reason)))
  }

  #reasonOr(error: unknown): unknown {
    const { signal } = this.#options
    return signal?.aborted === true ? signal.reason : error
  }

  async #respond(ask: number, query: unknown): Promise<void> {
    const id = this.#id
    this.pause()
    try {
      const { onAsk } = this.#options
      if (onAsk === undefined) throw new Error('The call has no handler for questions of the worker')
      this.#side.send({ type: 'answer', id, ask, value: await onAsk(query) })
    } catch (error) {
      this.#side.send({ type: 'refuse', id, ask, error: packError(error) })
    } finally {
      this.resume()
    }
  }

  #settle(end: () => void): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#options.signal?.removeEventListener('abort', this.#abort)
    this.#deadline?.stop()
    this.#silence?.stop()
    end()
    this.#wake()
    this.#side.onSettled()
  }

  #done(): void {
    if (this.#isDone) return
    this.#isDone = true
    this.#grace.stop()
    this.#side.onDone()
  }
}
