import { readdirSync, readFileSync } from 'node:fs'

const betweenMs = 200

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
}

/** Megabytes that a process and those below it hold; those that end meanwhile count nothing. */
function megabytesOf(pid: number): number {
  try {
    const kilobytes = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
    return childrenOf(pid).reduce((sum, child) => sum + megabytesOf(child), kilobytes / 1024)
  } catch {
    return 0
  }
}

/** Watches what a process holds with all processes that it has started. */
export class MemoryWatch {
  /** Megabytes at most so far. */
  peak = 0
  readonly #pid: number
  readonly #timer: NodeJS.Timeout

  constructor(pid: number) {
    this.#pid = pid
    this.#timer = setInterval(() => this.now(), betweenMs).unref()
  }

  now(): number {
    const megabytes = Math.round(megabytesOf(this.#pid))
    this.peak = Math.max(this.peak, megabytes)
    return megabytes
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
