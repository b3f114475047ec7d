import { monitorEventLoopDelay } from 'node:perf_hooks'

const turnMilliseconds = 1

/** Watches how long this thread's event loop is held up. */
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

  /** The most that this thread has computed between two turns: that other programs hold it up does not count. */
  #turn(): void {
    const { user, system } = process.threadCpuUsage(this.#worked)
    this.#worked = process.threadCpuUsage()
    this.#longestWork = Math.max(this.#longestWork, (user + system) / 1000)
  }
}
