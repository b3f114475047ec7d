import { networkOf } from '../core/network/addresses.ts'
import type { Clock } from '../core/time/clock.ts'

/** Failures are forgotten after this time without another one. */
export const forgetSeconds = 15 * 60
const maxDelaySeconds = 300
const maxPlaces = 20_000

/**
 * Number of failures without a delay: per address and account, and per address (which many people may share).
 */
const freeByAccount = 5
const freeByAddress = 50

interface FailureCount {
  failures: number
  lastFailure: number
}

/** Key for which failures are counted, with the number of failures that have no delay. */
export interface ThrottledKey {
  key: string
  free: number
}

/** Returns the key of the network, and that of an account from there. */
export function throttledKeys(address: string, account: string | undefined): ThrottledKey[] {
  const network = networkOf(address)
  const byAddress = { key: network, free: freeByAddress }
  return account === undefined
    ? [byAddress]
    : [byAddress, { key: `${network} ${account}`, free: freeByAccount }]
}

/** Returns the delay after the last of so many failures. */
export function secondsAfter(failures: number, free: number): number {
  return failures < free ? 0 : Math.min(2 ** Math.min(failures - free, 20), maxDelaySeconds)
}

/**
 * Slows down password guessing: after some free failures an address (and an address with an account) must
 * wait twice as long each time, up to five minutes. Never by account alone, which would let anybody lock a
 * user out.
 */
export interface Throttle {
  /** Seconds until this may be tried again; 0: now. */
  secondsToWait(address: string, account?: string): number | Promise<number>
  /** Counts an attempt as a failure before its result is known. */
  attempt(address: string, account?: string): void | Promise<void>
  /** Removes the attempt from the count. */
  succeed(address: string, account?: string): void | Promise<void>
}

/** Counts failures in this process: for an embedded catalogue, which has no other. */
export class MemoryThrottle implements Throttle {
  readonly #clock: Clock
  readonly #counts = new Map<string, FailureCount>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  secondsToWait(address: string, account?: string): number {
    return Math.max(...throttledKeys(address, account).map((key) => this.#wait(key)))
  }

  attempt(address: string, account?: string): void {
    for (const { key } of throttledKeys(address, account)) this.#fail(key)
  }

  succeed(address: string, account?: string): void {
    const [network, own] = throttledKeys(address, account)
    if (own !== undefined) this.#counts.delete(own.key)
    const count = this.#counts.get(network?.key ?? '')
    if (count !== undefined) count.failures = Math.max(0, count.failures - 1)
  }

  #wait({ key, free }: ThrottledKey): number {
    const count = this.#counts.get(key)
    if (count === undefined) return 0
    const until = count.lastFailure + secondsAfter(count.failures, free) * 1000
    return Math.max(0, Math.ceil((until - this.#clock.now().getTime()) / 1000))
  }

  #fail(key: string): void {
    const now = this.#clock.now().getTime()
    const count = this.#counts.get(key)
    const isFresh = count !== undefined && now - count.lastFailure < forgetSeconds * 1000
    this.#counts.delete(key)
    this.#counts.set(key, { failures: isFresh ? count.failures + 1 : 1, lastFailure: now })
    if (this.#counts.size > maxPlaces) this.#counts.delete(this.#counts.keys().next().value ?? '')
  }
}
