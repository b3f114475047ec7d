import type { Database } from '../../../core/db/connection.ts'
import { sharedTime } from '../../../core/db/database-time.ts'
import { explain } from '../../../core/errors/errors.ts'
import type { Logger } from '../../../core/log/logger.ts'
import type { Clock } from '../../../core/time/clock.ts'
import { findCheck, markSent } from '../records/check-repository.ts'
import type { ClaimedDelivery } from '../records/delivery-repository.ts'
import {
  claimDelivery,
  deleteDeliveriesBefore,
  finishDelivery,
  listDueDeliveries,
} from '../records/delivery-repository.ts'
import { listReceivers } from '../records/receiver-repository.ts'
import type { SendDeps } from './send-to.ts'
import { sendTo } from './send-to.ts'
import { retryMinutes } from './transitions.ts'

const keptMs = 90 * 86_400_000
/** Longer than an attempt. A lease that is older belongs to a killed server. */
const leaseSeconds = 120
const atOnce = 8
const batchSize = 100

interface DeliveriesDeps extends SendDeps {
  database: Database
  clock: Clock
  log: Logger
}

/** Sends due deliveries. They are stored in the database, so that a restart loses none. */
export class Deliveries {
  readonly #deps: DeliveriesDeps
  readonly #stopping = new AbortController()
  #round: Promise<void> = Promise.resolve()
  #isWaiting = false

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps
  }

  /** Tries each due delivery once; resolves when all attempts have ended. Never throws. */
  run(): Promise<void> {
    if (this.#isWaiting) return this.#round
    this.#isWaiting = true
    this.#round = this.#round.then(async () => {
      this.#isWaiting = false
      try {
        await this.#sendDue()
      } catch (error) {
        if (!this.#stopping.signal.aborted) this.#deps.log.error({ err: error }, 'messages could not be sent')
      }
    })
    return this.#round
  }

  /** Aborts running attempts; the next start repeats them. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the server stops'))
    await this.#round
  }

  async #sendDue(): Promise<void> {
    const { database, clock } = this.#deps
    const now = clock.now().getTime()
    await deleteDeliveriesBefore(database.kysely, new Date(now - keptMs).toISOString())
    const due = await listDueDeliveries(
      database.kysely,
      { at: new Date(now).toISOString(), now: sharedTime(database, clock) },
      batchSize,
    )
    const takeNext = async (): Promise<void> => {
      for (let id = due.shift(); id !== undefined && !this.#stopping.signal.aborted; id = due.shift())
        await this.#attempt(id, now)
    }
    await Promise.all(Array.from({ length: atOnce }, takeNext))
  }

  async #attempt(id: number, now: number): Promise<void> {
    const { database, clock, log } = this.#deps
    const at = new Date(now).toISOString()
    const delivery = await claimDelivery(database.kysely, id, at, {
      now: sharedTime(database, clock),
      leasedUntil: sharedTime(database, clock, leaseSeconds),
    })
    if (delivery === undefined) return
    try {
      await this.#send(delivery)
    } catch (error) {
      const result = failureOf(error, delivery.attempts, now, this.#stopping.signal.aborted)
      log.warn(
        { deliveryId: id, attempts: delivery.attempts },
        `a message was not delivered: ${result.error}`,
      )
      await finishDelivery(database.kysely, id, result)
      return
    }
    await database.transaction(async (transaction) => {
      await finishDelivery(transaction, id, { state: 'sent', at })
      if (delivery.kind === 'alert') await markSent(transaction, delivery.checkId, at)
    })
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const { database } = this.#deps
    const { checkId, receiverId, message, id } = delivery
    const check = await findCheck(database.kysely, checkId)
    const receiver = (await listReceivers(database.kysely, checkId)).find((one) => one.id === receiverId)
    if (check === undefined || receiver === undefined) throw new ReceiverGone('its receiver was taken out')
    const { graceSeconds } = check
    await sendTo(this.#deps, { receiver, message, deliveryId: id, graceSeconds }, this.#stopping.signal)
  }
}

class ReceiverGone extends Error {}

/** Returns the record of a failed attempt. */
function failureOf(error: unknown, attempts: number, now: number, isStopping: boolean) {
  const text = explain(error)
  const after = (minutes: number): string => new Date(now + minutes * 60_000).toISOString()
  const failure = { at: after(0), error: text }
  if (isStopping) return { ...failure, state: 'pending' as const, nextTry: after(0) }
  if (error instanceof ReceiverGone) return { ...failure, state: 'dropped' as const }
  const minutes = retryMinutes(attempts)
  return minutes === undefined
    ? { ...failure, state: 'failed' as const }
    : { ...failure, state: 'pending' as const, nextTry: after(minutes) }
}
