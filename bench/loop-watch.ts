import { monitorEventLoopDelay } from 'node:perf_hooks'

const turnMilliseconds = 1

/** Measures how long the event loop of this thread is blocked. */
export class LoopWatch {
  readonly #delay = monitorEventLoopDelay({ resolution: turnMilliseconds })
  readonly #timer: NodeJS.Timeout
  #worked = process.threadCpuUsage()
  #longestWork = 0

  constructor() {
    this.#delay.enable()
    this.#timer = setInterval(() => this.#turn(), turnMilliseconds).unref()
  }

  /** Ends watching. */
  stop(): { longestWaitMilliseconds: number; longestWorkMilliseconds: number } {
    clearInterval(this.#timer)
    this.#turn()
    this.#delay.disable()
    return { longestWaitMilliseconds: this.#delay.max / 1e6, longestWorkMilliseconds: this.#longestWork }
  }

  /**
   * Records the longest CPU time of this thread between two iterations. Delays caused by other programs do
   * not count.
   */
  #turn(): void {
    const { user, system } = process.threadCpuUsage(this.#worked)
    this.#worked = process.threadCpuUsage()
    this.#longestWork = Math.max(this.#longestWork, (user + system) / 1000)
  }
}
