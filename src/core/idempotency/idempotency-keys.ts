import type { Database } from '../db/connection.ts'
import { type SharedTime, sharedTime } from '../db/database-time.ts'
import type { Logger } from '../log/logger.ts'
import type { Clock } from '../time/clock.ts'
import type { Claim, StoredResponse } from './key-repository.ts'
import { claimKey, releaseAllKeys, releaseKey, renewKeys, storeResponse } from './key-repository.ts'

const keepSeconds = 24 * 3600
/** A claim is renewed while its request is in progress; an older one belongs to a killed process. */
const renewMs = 10_000
const abandonedSeconds = 30

interface IdempotencyKeysDeps {
  database: Database
  clock: Clock
  log: Logger
}

/** Idempotency keys: the first response is stored for 24 hours. */
export class IdempotencyKeys {
  readonly #deps: IdempotencyKeysDeps
  readonly #claims = new Set<Claim>()
  #renewal: NodeJS.Timeout | undefined

  constructor(deps: IdempotencyKeysDeps) {
    this.#deps = deps
  }

  /** Releases claims of dead processes, and keeps renewing those of this process. */
  async start(): Promise<void> {
    const { database, log } = this.#deps
    this.#renewal ??= setInterval(() => {
      renewKeys(database.kysely, this.#claims, this.#at()).catch((error: unknown) =>
        log.error({ err: error }, 'idempotency keys could not be renewed'),
      )
    }, renewMs).unref()
    if (database.kind === 'sqlite') await releaseAllKeys(database.kysely)
  }

  stop(): void {
    clearInterval(this.#renewal)
  }

  /** Claims the key for a request until it has a response; returns the earlier response if there is one. */
  async claim(claim: Claim): Promise<StoredResponse | undefined> {
    const times = {
      now: this.#at(),
      expiredBefore: this.#at(-keepSeconds),
      abandonedBefore: this.#at(-abandonedSeconds),
    }
    const earlier = await claimKey(this.#deps.database, claim, times)
    if (earlier === undefined) this.#claims.add(claim)
    return earlier
  }

  /** Stores the response to a request. */
  async keep(claim: Claim, response: Pick<StoredResponse, 'status' | 'headers' | 'body'>): Promise<void> {
    this.#claims.delete(claim)
    await storeResponse(this.#deps.database.kysely, claim, { ...response, at: this.#at() })
  }

  /** Releases the key, so that the request may be repeated. */
  async release(claim: Claim): Promise<void> {
    this.#claims.delete(claim)
    await releaseKey(this.#deps.database.kysely, claim)
  }

  #at(seconds = 0): SharedTime {
    return sharedTime(this.#deps.database, this.#deps.clock, seconds)
  }
}

export type { Claim, StoredResponse } from './key-repository.ts'
