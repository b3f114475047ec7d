import type { Clock } from '../../core/time/clock.ts'

const rememberedMs = 3_600_000
const maxRemembered = 10_000

/** Remembers for an hour who has signed in from where. */
export class SignInMemory {
  readonly #clock: Clock
  readonly #seen = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** True for the first time in an hour. */
  isFirst(key: string): boolean {
    const now = this.#clock.now().getTime()
    const seen = this.#seen.get(key)
    if (seen !== undefined && now - seen < rememberedMs) return false
    this.#seen.delete(key)
    this.#seen.set(key, now)
    if (this.#seen.size > maxRemembered) this.#seen.delete(this.#seen.keys().next().value ?? '')
    return true
  }
}
