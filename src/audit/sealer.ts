import type { Database, Queryable } from '../core/db/connection.ts'
import type { Logger } from '../core/log/logger.ts'
import type { Clock } from '../core/time/clock.ts'
import { deleteDay, listDays, readDay } from './audit-repository.ts'
import { digestEntries, expirySealOf, sealOf } from './seal.ts'
import type { SealKey } from './seal-keys.ts'
import type { Seal } from './seal-repository.ts'
import { expireSeal, findLastSeal, insertSeal, listUnexpired } from './seal-repository.ts'
import type { Verification } from './verify.ts'
import { nextDay, verify } from './verify.ts'

const checkMs = 10 * 60_000
/** Time from the end of a day until it is sealed: other servers may still write its entries. */
const graceMs = 10 * 60_000
const dayMs = 86_400_000

export interface AuditSealerDeps {
  database: Database
  clock: Clock
  log: Logger
  /** The current key first. Older keys verify the seals made before a rotation. */
  keys: readonly [SealKey, ...SealKey[]]
  keepDays: number
  /** Called for each new seal, which a receiver outside the database should keep. */
  onSealed?(seal: Pick<Seal, 'day' | 'entries' | 'seal'>): void
}

/** Seals each day that has ended, and deletes the entries of days that are too old. Their seals stay. */
export class AuditSealer {
  readonly #deps: AuditSealerDeps
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(deps: AuditSealerDeps) {
    this.#deps = deps
  }

  start(): void {
    const work = (): void => {
      this.#running = this.run().catch((error: unknown) =>
        this.#deps.log.error({ err: error }, 'the audit log was not sealed'),
      )
    }
    work()
    this.#timer = setInterval(work, checkMs).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  /** Seals ended days and deletes expired ones. Several servers may do so concurrently. */
  async run(): Promise<void> {
    const { database } = this.#deps
    await database.alone(async () => {
      if (await this.#isDue()) await database.transaction((db) => this.#seal(db))
      await this.#expire()
    })
  }

  /** Checks all seals and entries. */
  verify(): Promise<Verification> {
    const { database, keys, clock } = this.#deps
    return verify(database.kysely, keys, dayOf(clock.now()))
  }

  /**
   * Checks before a transaction is opened: the catalogue caches nothing across a transaction that may write.
   */
  async #isDue(): Promise<boolean> {
    const day = await this.#nextDay(this.#deps.database.kysely)
    return day !== undefined && day < this.#end()
  }

  /** The first day without a seal. */
  async #nextDay(db: Queryable): Promise<string | undefined> {
    const last = await findLastSeal(db)
    return last === undefined ? (await listDays(db))[0] : nextDay(last.day)
  }

  /** The first day that has not ended. */
  #end(): string {
    return dayOf(new Date(this.#deps.clock.now().getTime() - graceMs))
  }

  async #seal(db: Queryable): Promise<void> {
    const { clock, keys, log, onSealed } = this.#deps
    const [key] = keys
    const now = clock.now()
    const end = this.#end()
    let last = await findLastSeal(db)
    let day = await this.#nextDay(db)
    for (; day !== undefined && day < end; day = nextDay(day)) {
      const found = await digestEntries(readDay(db, day))
      const sealed = { day, ...found, previous: last?.seal ?? '' }
      const seal = sealOf(sealed, key)
      last = {
        ...sealed,
        seal,
        keyName: key.name,
        sealedAt: now.toISOString(),
        expiredAt: undefined,
        expirySeal: undefined,
      }
      await insertSeal(db, last)
      log.info({ day, entries: found.entries, seal }, 'audit log sealed')
      onSealed?.({ day, entries: found.entries, seal })
    }
  }

  async #expire(): Promise<void> {
    const { database, clock, keepDays, keys } = this.#deps
    const now = clock.now()
    const before = dayOf(new Date(now.getTime() - keepDays * dayMs))
    for (const seal of await listUnexpired(database.kysely, before)) {
      const key = keys.find(({ name }) => name === seal.keyName) ?? keys[0]
      const expiredAt = now.toISOString()
      const expirySeal = expirySealOf({ ...seal, expiredAt }, key)
      await database.transaction(async (db) => {
        await expireSeal(db, seal.day, { expiredAt, expirySeal })
        await deleteDay(db, seal.day)
      })
    }
  }
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}
