import { networkOf } from '../core/network/addresses.ts'
import type { Clock } from '../core/time/clock.ts'

const forgetMs = 15 * 60_000
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

/**
 * Slows down password guessing: after some free failures an address (and an address with an account) must
 * wait twice as long each time, up to five minutes. Never by account alone, which would let anybody lock a
 * user out.
 */
export interface Throttle {
  /** Seconds until this may be tried again; 0: now. */
  secondsToWait(address: string, account?: string): number
  /** Counts an attempt as a failure before its result is known. */
  attempt(address: string, account?: string): void
  /** Removes the attempt from the count. */
  succeed(address: string, account?: string): void
}

export function createThrottle(clock: Clock): Throttle {
  const places = new Map<string, FailureCount>()

  const keys = (address: string, account: string | undefined): [string, number][] => {
    const network = networkOf(address)
    const byAddress: [string, number] = [network, freeByAddress]
    return account === undefined ? [byAddress] : [byAddress, [`${network} ${account}`, freeByAccount]]
  }

  const wait = ([key, free]: [string, number]): number => {
    const place = places.get(key)
    if (place === undefined || place.failures < free) return 0
    const delay = Math.min(2 ** Math.min(place.failures - free, 20), maxDelaySeconds)
    return Math.max(0, Math.ceil((place.lastFailure + delay * 1000 - clock.now().getTime()) / 1000))
  }

  const fail = (key: string): void => {
    const now = clock.now().getTime()
    const place = places.get(key)
    const isFresh = place !== undefined && now - place.lastFailure < forgetMs
    places.delete(key)
    places.set(key, { failures: isFresh ? place.failures + 1 : 1, lastFailure: now })
    if (places.size > maxPlaces) places.delete(places.keys().next().value ?? '')
  }

  return {
    secondsToWait: (address, account) => Math.max(...keys(address, account).map(wait)),
    attempt: (address, account) => {
      for (const [key] of keys(address, account)) fail(key)
    },
    succeed: (address, account) => {
      const [[network], own] = keys(address, account) as [[string, number], [string, number]?]
      if (own !== undefined) places.delete(own[0])
      const place = places.get(network)
      if (place !== undefined) place.failures = Math.max(0, place.failures - 1)
    },
  }
}
