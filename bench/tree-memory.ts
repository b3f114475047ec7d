import { readdirSync, readFileSync } from 'node:fs'

const betweenMs = 200

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
}

/** Megabytes that a process and those below it hold, or those of them that run a file of this name; those that end meanwhile count nothing. */
function megabytesOf(pid: number, file = ''): number {
  try {
    const kilobytes = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
    const isMeant = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(file)
    const own = isMeant ? kilobytes / 1024 : 0
    return childrenOf(pid).reduce((sum, child) => sum + megabytesOf(child, file), own)
  } catch {
    return 0
  }
}

/** Measures the memory of a process and of all processes that it has started. */
export class MemoryWatch {
  /** Megabytes at most so far. */
  peak = 0
  /** Peak memory of only those child processes that run the given file. */
  peakOfFile = 0
  readonly #pid: number
  readonly #file: string | undefined
  readonly #timer: NodeJS.Timeout

  constructor(pid: number, file?: string) {
    this.#pid = pid
    this.#file = file
    this.#timer = setInterval(() => this.now(), betweenMs).unref()
  }

  now(): number {
    const megabytes = Math.round(megabytesOf(this.#pid))
    this.peak = Math.max(this.peak, megabytes)
    if (this.#file !== undefined)
      this.peakOfFile = Math.max(this.peakOfFile, Math.round(megabytesOf(this.#pid, this.#file)))
    return megabytes
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
