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

  /** @param usual - Limits of the lane of handlers that name none. */
  constructor(usual: Omit<JobLane, 'name'>) {
    this.#usual = { name: '', ...usual }
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

  /** True if the lane of a kind prefers to run one more job here, beside those of the kinds `running`. */
  prefers(kind: string, running: readonly string[]): boolean {
    const { lane = this.#usual } = this.handlerOf(kind) ?? {}
    const isBelow = this.roomOf({ ...lane, limit: lane.preferredLimit ?? lane.limit }, running).limit > 0
    return isBelow && this.hasRoom(kind, running)
  }

  /** True if this server may claim one more job of a kind. */
  hasRoom(kind: string, running: readonly string[]): boolean {
    const room = this.roomOf(this.handlerOf(kind)?.lane ?? this.#usual, running)
    return room.limit > 0 && room.kinds.includes(kind)
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
    // Claims one job at a time, so that a batch does not contain more heavy jobs than permitted.
    const isMixed = takesHeavy && heavyLimit < limit && kinds.some(isHeavy)
    return { kinds, limit: isMixed ? Math.min(1, free) : free }
  }
}
