import { Problems } from '../core/errors/problems.ts'
import type { Logger } from '../core/log/logger.ts'
import type { Clock } from '../core/time/clock.ts'

const texts = {
  configuration: 'The services to watch cannot be read',
  recording: 'Requests wait to be recorded',
  collecting: 'Collecting stands still',
  settling: 'Periods are not computed',
  retention: 'Old data are not removed',
  checks: 'Checks are not evaluated',
  places: 'Places of addresses cannot be looked up',
  dropped: 'Requests were not recorded: too many waited',
} as const
type Part = keyof typeof texts

export interface MonitoringHealth {
  status: 'ok' | 'degraded'
  /** Messages without confidential details: every user may see them. */
  problems: string[]
}

const droppedShownMs = 600_000

/** Parts of monitoring that currently fail. */
export class Health {
  readonly #clock: Clock
  readonly #problems: Problems
  #collecting: string[] = []
  #dropped = { count: 0, at: Number.NEGATIVE_INFINITY }

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock
    this.#problems = new Problems((level, facts, message) => log[level](facts, message))
  }

  /** Runs the work of a part and returns true if it succeeded. */
  async guard(part: Part, work: () => Promise<void>): Promise<boolean> {
    await this.#problems.guard(part, work)
    return this.#problems.get(part) === undefined
  }

  /** Sets the parts of the collector thread that currently fail. */
  setCollecting(parts: string[]): void {
    this.#collecting = parts
  }

  report(dropped: number): MonitoringHealth {
    const now = this.#clock.now().getTime()
    if (dropped > this.#dropped.count) this.#dropped = { count: dropped, at: now }
    const broken = new Set([...this.#problems.parts(), ...this.#collecting])
    if (now - this.#dropped.at < droppedShownMs) broken.add('dropped')
    const problems = Object.entries(texts).flatMap(([part, text]) => (broken.has(part) ? [text] : []))
    return { status: problems.length === 0 ? 'ok' : 'degraded', problems }
  }
}
