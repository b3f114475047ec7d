import { Failure } from '../errors.ts'
import { packError, unpackError } from './error-codec.ts'
import type { CallOptions } from './handlers.ts'
import type { CallReport, ToWorker } from './messages.ts'
import { Stopwatch } from './stopwatch.ts'

const defaultGraceMs = 1500
const longestBeatMs = 1000

interface Side {
  send(message: ToWorker): void
  /** Ends the worker. */
  kill(error: Error): void
  onSettled(): void
}

const tooSlow = (ms: number): Failure =>
  new Failure('unavailable', 'too-slow', `It took longer than ${seconds(ms)} and was ended`)

const noProgress = (ms: number): Failure =>
  new Failure('unavailable', 'no-progress', `It made no progress for ${seconds(ms)} and was ended`)

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}

/** One call as its caller sees it: its result, its chunks, and its limits. */
export class PendingCall {
  readonly #id: number
  readonly #options: CallOptions<unknown, unknown, unknown>
  readonly #side: Side
  readonly #result = Promise.withResolvers<unknown>()
  readonly #chunks: { value: unknown }[] = []
  readonly #deadline: Stopwatch | undefined
  readonly #silence: Stopwatch | undefined
  #grace: NodeJS.Timeout | undefined
  #isSettled = false
  /** What the worker waits for here. */
  #pauses = 0
  #wake: () => void = () => undefined

  constructor(id: number, options: CallOptions<unknown, unknown, unknown>, side: Side) {
    this.#id = id
    this.#options = options
    this.#side = side
    const { deadlineMs, silenceMs } = options
    if (deadlineMs !== undefined)
      this.#deadline = new Stopwatch(deadlineMs, (ms) => this.#giveUp(tooSlow(ms)))
    if (silenceMs !== undefined)
      this.#silence = new Stopwatch(silenceMs, (ms) => this.#giveUp(noProgress(ms)))
    this.#result.promise.catch(() => undefined)
  }

  /** How often the worker is to show that it hears. */
  get beatMs(): number | undefined {
    const { silenceMs } = this.#options
    return silenceMs === undefined ? undefined : Math.min(longestBeatMs, Math.ceil(silenceMs / 4))
  }

  get result(): Promise<unknown> {
    return this.#result.promise
  }

  start(): void {
    if (this.#isSettled) return
    this.#options.signal?.addEventListener('abort', this.#abort, { once: true })
    this.#deadline?.run()
    this.#silence?.run()
  }

  take(report: CallReport): void {
    if (this.#isSettled) return
    this.#silence?.reset()
    if (report.type === 'result') this.#settle(() => this.#result.resolve(report.value))
    else if (report.type === 'error') this.fail(this.#reasonOr(unpackError(report.error)))
    else if (report.type === 'notice') this.#options.onNotice?.(report.notice)
    else if (report.type === 'ask') void this.#answer(report.ask, report.question)
    else if (report.type === 'chunk') {
      this.#chunks.push({ value: report.value })
      this.#wake()
    }
  }

  fail(error: unknown): void {
    this.#settle(() => this.#result.reject(error))
  }

  /** The next chunk; undefined after the last. Chunks that came before an error are given before it. */
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

  /** The worker waits for who called it. */
  pause(): void {
    this.#pauses += 1
    this.#deadline?.pause()
    this.#silence?.pause()
  }

  resume(): void {
    this.#pauses -= 1
    if (this.#isSettled || this.#pauses > 0) return
    this.#deadline?.run()
    this.#silence?.run()
  }

  /** Gives the call up, and returns when the worker is free of it or ended. */
  async leave(): Promise<void> {
    this.#stop(new Error('The answer is no longer wanted'))
    await this.#result.promise.catch(() => undefined)
  }

  readonly #abort = (): void => this.#stop(this.#options.signal?.reason)

  #stop(reason: unknown): void {
    if (this.#isSettled || this.#grace !== undefined) return
    this.#side.send({ type: 'abort', id: this.#id, error: packError(reason) })
    const { graceMs = defaultGraceMs } = this.#options
    this.#grace = setTimeout(() => setImmediate(() => this.#giveUp(reason)), graceMs)
  }

  /** Ends the worker, unless it has answered meanwhile. */
  #giveUp(reason: unknown): void {
    if (this.#isSettled) return
    this.fail(this.#reasonOr(reason))
    this.#side.kill(reason instanceof Error ? reason : new Error(String(reason)))
  }

  #reasonOr(error: unknown): unknown {
    const { signal } = this.#options
    return signal?.aborted === true ? signal.reason : error
  }

  async #answer(ask: number, question: unknown): Promise<void> {
    const id = this.#id
    this.pause()
    try {
      const { onAsk } = this.#options
      if (onAsk === undefined) throw new Error('Nobody answers questions of this call')
      this.#side.send({ type: 'answer', id, ask, value: await onAsk(question) })
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
    clearTimeout(this.#grace)
    this.#deadline?.stop()
    this.#silence?.stop()
    end()
    this.#wake()
    this.#side.onSettled()
  }
}
