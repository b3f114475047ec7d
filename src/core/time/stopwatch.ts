import { ownCpuTime } from './cpu-time.ts'

/** Factor by which a stopwatch exceeds its limit in elapsed time if the worker uses little CPU time. */
const clockFactor = 10
/** Shortest interval between two reads of the CPU time. */
const minCheckMs = 20
/** Maximum interval between two checks; for short limits a quarter of the limit. */
const maxCheckMs = 1000
/** If a check is delayed by more than this, this process was suspended. */
const standstillMs = 1000

/** Options of a `Stopwatch`. */
export interface StopwatchOptions {
  limitMs: number
  /** CPU time of the worker so far; undefined if it cannot be measured; then only elapsed time counts. */
  cpuMs(): number | undefined
  /** True if the worker waits for something other than a processor. Absent: unknown. */
  isIdle?(): boolean
  onOver(limitMs: number): void
}

/**
 * Calls `onOver` when the worker has used `limitMs` of CPU time while the stopwatch was running, or after ten
 * times `limitMs` of elapsed time. A worker that is idle and uses no CPU time between two checks is stuck:
 * for it `limitMs` of elapsed time counts. CPU time is only read after `limitMs` of elapsed time. Received
 * messages are handled before `onOver`, so that a busy thread does not attribute its own delay to the worker.
 * If a check is more than a second late, the delay does not count, since this process or the machine was
 * suspended.
 */
export class Stopwatch {
  readonly #options: StopwatchOptions
  #spentMs = 0
  /** `#spentMs` at which the next check is due. */
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
    this.#timer = setTimeout(() => this.#check(), Math.max(0, ms))
  }

  #check(): void {
    setImmediate(() => {
      if (this.#runsSince === undefined) return
      this.pause()
      const leftMs = this.#leftMs()
      if (leftMs > 0) this.#runFor(Math.max(leftMs, minCheckMs))
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
    return Math.max(this.#options.limitMs / 4, maxCheckMs)
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

  /**
   * True if this thread has used the limit of CPU time since the start, or after ten times as much elapsed
   * time.
   */
  get isOver(): boolean {
    const spentMs = performance.now() - this.#startedMs
    if (spentMs < this.#limitMs) return false
    return spentMs >= this.#limitMs * clockFactor || ownCpuTime() - this.#cpuBase >= this.#limitMs
  }
}
