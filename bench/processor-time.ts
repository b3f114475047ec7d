import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runSql } from '../tests/support/postgres.ts'

const millisecondsPerTick = 10
const quietMs = 200
const patienceMs = 10_000

interface Ticks {
  own: number
  /** Processor time of child processes that have ended and were waited for. */
  ended: number
}

/** Returns the processor time of a process, or zero if the process has ended. */
function ticksOf(pid: number | 'self'): Ticks {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number)
    return { own: user + system, ended: endedUser + endedSystem }
  } catch {
    return { own: 0, ended: 0 }
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}

function treeTicks(pid: number): number {
  const { own, ended } = ticksOf(pid)
  return childrenOf(pid).reduce((sum, child) => sum + treeTicks(child), own + ended)
}

/** Wall-clock time and processor time of a piece of work. */
export interface Took {
  milliseconds: number
  processor: number
}

/** Measures a server, a PostgreSQL and the programs that this process runs. */
export class ProcessorTime {
  readonly #server: number
  readonly #postmaster: number

  constructor(server: number, postmaster: number) {
    this.#server = server
    this.#postmaster = postmaster
  }

  /** `background`: true to include child processes that the server started for background work. */
  #now({ background }: { background: boolean }): number {
    const self = ticksOf('self')
    const server = background ? treeTicks(this.#server) : ticksOf(this.#server).own
    return (self.own + self.ended + server + treeTicks(this.#postmaster)) * millisecondsPerTick
  }

  /** Waits until background work has ended, so that it does not count for the next measurement. */
  async untilQuiet(): Promise<void> {
    const end = performance.now() + patienceMs
    for (let last = this.#now({ background: true }); performance.now() < end; ) {
      await sleep(quietMs)
      const now = this.#now({ background: true })
      if (now - last <= quietMs / 10) return
      last = now
    }
  }

  async measure(work: () => Promise<unknown>): Promise<Took> {
    await this.untilQuiet()
    const before = this.#now({ background: false })
    const start = performance.now()
    await work()
    const milliseconds = performance.now() - start
    return { milliseconds, processor: this.#now({ background: false }) - before }
  }
}

/** The process id of the PostgreSQL behind an address. */
export async function findPostmaster(databaseUrl: URL): Promise<number> {
  const [row] = await runSql(databaseUrl.href, 'show data_directory')
  const text = readFileSync(join(String(row?.data_directory), 'postmaster.pid'), 'utf8')
  return Number(text.split('\n')[0])
}
