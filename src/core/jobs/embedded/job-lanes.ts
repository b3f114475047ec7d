import type { JobHandler, JobLane } from '../jobs.ts'

/** Kinds of jobs that a server may claim now, and how many of them. */
export interface LaneRoom {
  kinds: string[]
  limit: number
}

/** The handlers of a server, by kind and by lane. */
export class JobLanes {
  readonly #usual: JobLane
  readonly #handlers = new Map<string, JobHandler>()
  readonly #lanes = new Map<string, JobLane>()

  /** @param concurrency - Limit of the lane of handlers that name none. */
  constructor(concurrency: number) {
    this.#usual = { name: '', limit: concurrency }
  }

  add(handlers: Record<string, JobHandler>): void {
    for (const [kind, handler] of Object.entries(handlers)) {
      this.#handlers.set(kind, handler)
      const { lane = this.#usual } = handler
      this.#lanes.set(lane.name, lane)
    }
  }

  handlerOf(kind: string): JobHandler | undefined {
    return this.#handlers.get(kind)
  }

  get lanes(): JobLane[] {
    return [...this.#lanes.values()]
  }

  /** Returns what a lane has room for beside the running jobs of the server, whose kinds are `running`. */
  roomOf(lane: JobLane, running: readonly string[]): LaneRoom {
    const isOfLane = (kind: string): boolean => (this.handlerOf(kind)?.lane ?? this.#usual).name === lane.name
    const isHeavy = (kind: string): boolean => this.handlerOf(kind)?.isHeavy === true
    const own = running.filter(isOfLane)
    const { limit, heavyLimit = limit } = lane
    const takesHeavy = own.filter(isHeavy).length < heavyLimit
    const kinds = [...this.#handlers.keys()].filter(
      (kind) => isOfLane(kind) && (takesHeavy || !isHeavy(kind)),
    )
    const free = Math.max(0, limit - own.length)
    // One at a time, so that a batch has not more heavy jobs than allowed.
    const isMixed = takesHeavy && heavyLimit < limit && kinds.some(isHeavy)
    return { kinds, limit: isMixed ? Math.min(1, free) : free }
  }
}
