import { ownCpuTime } from './cpu-time.ts'

/** Factor by which a stopwatch exceeds its limit in elapsed time if the worker uses little CPU time. */
const clockFactor = 10
/** Shortest interval between two reads of the CPU time. */
const minLookMs = 20
/** Longest time between two looks, or a quarter of the limit. */
const longestLookMs = 1000
/** If a look comes later than this, the process stood still. */
const standstillMs = 1000

/** Options of a `Stopwatch`. */
export interface StopwatchOptions {
  limitMs: number
  /** CPU time of the worker so far; undefined where it cannot be measured, then the clock alone counts. */
  cpuMs(): number | undefined
  /** True if the worker waits for something else than a processor. Absent: not known. */
  isIdle?(): boolean
  onOver(limitMs: number): void
}

/**
 * Calls `onOver` when the worker has used `limitMs` of CPU time while the stopwatch ran, or after ten times `limitMs` by
 * the clock. A worker that is idle and uses no CPU time between two looks is stuck: for it `limitMs` by the clock counts. CPU time is read only after `limitMs` by the clock. Messages that have arrived are handled before `onOver`, so
 * that a busy thread does not take its own delay for the delay of the worker. Time by which a look comes more than
 * a second late does not count: this process stood still, and perhaps the whole machine.
 */
export class Stopwatch {
  readonly #options: StopwatchOptions
  #spentMs = 0
  /** `#spentMs` at which the next look is due. */
  #dueMs = 0
  #runsSince: number | undefined
  #timer: NodeJS.Timeout | undefined
  /** CPU time of the worker from which it counts; undefined if unknown. */
  #cpuBase: number | undefined
  /** CPU time when it was last seen to have changed. */
  #cpuSeen: { cpuMs: number; spentMs: number } | undefined

  constructor(options: StopwatchOptions) {
    this.#options = options
  }

  run(): void {
    this.#runFor(this.#leftOfLimitMs())
  }

  pause(): void {
    if (this.#runsSince === undefined) return
    const spentMs = this.#spentMs + performance.now() - this.#runsSince
    this.#spentMs = spentMs > this.#dueMs + standstillMs ? Math.max(0, this.#dueMs) : spentMs
    this.#runsSince = undefined
    clearTimeout(this.#timer)
  }

  /** Starts at zero again, without starting or stopping. `cpuMs`: CPU time of the worker at this moment, if known. */
  reset(cpuMs?: number): void {
    if (this.#runsSince !== undefined) {
      const nowMs = performance.now()
      this.#dueMs -= this.#spentMs + nowMs - this.#runsSince
      this.#runsSince = nowMs
    }
    this.#spentMs = 0
    this.#cpuBase = cpuMs
    this.#cpuSeen = undefined
  }

  stop(): void {
    this.pause()
  }

  #runFor(ms: number): void {
    if (this.#runsSince !== undefined) return
    this.#runsSince = performance.now()
    this.#dueMs = this.#spentMs + Math.max(0, ms)
    this.#timer = setTimeout(() => this.#look(), Math.max(0, ms))
  }

  #look(): void {
    setImmediate(() => {
      if (this.#runsSince === undefined) return
      this.pause()
      const leftMs = this.#leftMs()
      if (leftMs > 0) this.#runFor(Math.max(leftMs, minLookMs))
      else this.#options.onOver(this.#options.limitMs)
    })
  }

  /** Returns the shortest time until the limit can be reached; 0 if it is reached. */
  #leftMs(): number {
    const { limitMs } = this.#options
    if (this.#spentMs < limitMs) return this.#leftOfLimitMs()
    const clockLeftMs = limitMs * clockFactor - this.#spentMs
    if (clockLeftMs <= 0) return 0
    const cpuMs = this.#options.cpuMs()
    if (cpuMs === undefined) return 0
    // Without a measurement since the last reset, the count starts now.
    this.#cpuBase ??= cpuMs
    const lookMs = this.#lookMs
    if (cpuMs !== this.#cpuSeen?.cpuMs) this.#cpuSeen = { cpuMs, spentMs: this.#spentMs }
    else if (this.#spentMs - this.#cpuSeen.spentMs >= lookMs && this.#options.isIdle?.() === true) return 0
    return Math.min(clockLeftMs, lookMs, Math.max(0, limitMs - (cpuMs - this.#cpuBase)))
  }

  #leftOfLimitMs(): number {
    return Math.min(this.#lookMs, this.#options.limitMs - this.#spentMs)
  }

  get #lookMs(): number {
    return Math.max(this.#options.limitMs / 4, longestLookMs)
  }
}

/** A CPU limit for synchronous work of the calling thread, which checks it from time to time. */
export class CpuDeadline {
  readonly #limitMs: number
  readonly #startedMs = performance.now()
  readonly #cpuBase = ownCpuTime()

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  /** True when this thread has used the limit of CPU time since the start, or after ten times as long by the clock. */
  get isOver(): boolean {
    const spentMs = performance.now() - this.#startedMs
    if (spentMs < this.#limitMs) return false
    return spentMs >= this.#limitMs * clockFactor || ownCpuTime() - this.#cpuBase >= this.#limitMs
  }
}
