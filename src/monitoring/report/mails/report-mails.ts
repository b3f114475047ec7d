import type { Database } from '../../../core/db/connection.ts'
import { explain } from '../../../core/errors/errors.ts'
import type { Logger } from '../../../core/log/logger.ts'
import type { Clock } from '../../../core/time/clock.ts'
import { ZoneDays } from '../../../core/values/zone-days.ts'
import type { ServerIdentity } from '../../notify/channels/channel.ts'
import { mailAddress } from '../../notify/channels/mail/mail-receivers.ts'
import type { Mailer } from '../../notify/channels/mail/send-mail.ts'
import { retryMinutes } from '../../notify/deliver/transitions.ts'
import type { UsageReport } from '../report.ts'
import { addMonths, lastOfMonth, monthAt, type ReportPeriod, startOfDate } from '../report-period.ts'
import { toReportMail } from './report-mail.ts'
import type { ReportDelivery, ReportSubscription } from './subscription-repository.ts'
import {
  claimDelivery,
  findActiveSubscription,
  finishDelivery,
  insertDelivery,
  listDueDeliveries,
  listReportReceivers,
  listSubscriptions,
  markQueued,
} from './subscription-repository.ts'

const tickMs = 60_000
const attemptMs = 60_000
/** Longer than an attempt including its report. An older lease belongs to a killed server. */
const leaseMs = 300_000
/** Mails of a month are due at 6:00 on the second day of the next month, since logs may arrive a day late. */
const dueHours = 24 + 6
/** After a long downtime only the newest months are sent. */
const maxMonths = 12
const batchSize = 100

export interface ReportMailsDeps {
  database: Database
  clock: Clock
  log: Logger
  /** Time zone of the months. */
  zone: string
  /** Absent: the server cannot send mail. */
  mailer?: Mailer
  identity: ServerIdentity
  /** Creates the report with the permissions of the creator of the subscription. */
  createReport(subscription: ReportSubscription, period: ReportPeriod): Promise<UsageReport>
}

/**
 * Sends the report of each subscription once a month. Pending mails are stored in the database, so that
 * several servers, restarts and downtimes neither lose nor repeat mails. A mail is only repeated, with the
 * same `Message-ID`, if a server is killed after the mail server has accepted the mail and before the result
 * is recorded.
 */
export class ReportMails {
  readonly #deps: ReportMailsDeps
  readonly #days: ZoneDays
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> = Promise.resolve()

  constructor(deps: ReportMailsDeps) {
    this.#deps = deps
    this.#days = new ZoneDays(deps.zone)
  }

  /** Starts checking for due mails, immediately and every minute. */
  start(): void {
    this.#timer = setInterval(() => void this.run(), tickMs).unref()
    void this.run()
  }

  /** Queues and sends due mails; resolves when all attempts have ended. Never throws. */
  run(): Promise<void> {
    this.#round = this.#round.then(async () => {
      const { mailer, log } = this.#deps
      if (mailer === undefined || this.#stopping.signal.aborted) return
      try {
        await this.#queueMonths()
        await this.#sendDue(mailer)
      } catch (error) {
        if (!this.#stopping.signal.aborted) log.error({ err: error }, 'usage reports could not be sent')
      }
    })
    return this.#round
  }

  /** Aborts running attempts; the next start repeats them. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort(new Error('the server stops'))
    await this.#round
  }

  async #queueMonths(): Promise<void> {
    const { database, clock } = this.#deps
    const now = clock.now()
    const due = this.#dueMonth(now.getTime() / 1000)
    for (const subscription of await listSubscriptions(database.kysely)) {
      if (subscription.lastMonth >= due) continue
      const [, first = due] = [addMonths(due, 1 - maxMonths), addMonths(subscription.lastMonth, 1)].sort()
      await database.transaction(async (transaction) => {
        if (!(await markQueued(transaction, subscription, due))) return
        const receivers = await listReportReceivers(transaction, subscription.id)
        for (let month = first; month <= due; month = addMonths(month, 1))
          for (const { id: receiverId } of receivers)
            await insertDelivery(transaction, {
              subscriptionId: subscription.id,
              receiverId,
              month,
              at: now.toISOString(),
            })
      })
    }
  }

  /** Returns the last month whose mails are due. */
  #dueMonth(now: number): string {
    const month = monthAt(this.#days, now)
    const isDue = now >= startOfDate(this.#days, `${month}-01`) + dueHours * 3600
    return addMonths(month, isDue ? -1 : -2)
  }

  async #sendDue(mailer: Mailer): Promise<void> {
    const { database, clock } = this.#deps
    const now = clock.now().getTime()
    for (const id of await listDueDeliveries(database.kysely, new Date(now).toISOString(), batchSize)) {
      if (this.#stopping.signal.aborted) return
      const leasedUntil = new Date(now + leaseMs).toISOString()
      const delivery = await claimDelivery(database.kysely, {
        id,
        at: new Date(now).toISOString(),
        leasedUntil,
      })
      if (delivery !== undefined) await this.#attempt(delivery, mailer, now)
    }
  }

  async #attempt(delivery: ReportDelivery, mailer: Mailer, now: number): Promise<void> {
    const { database, log } = this.#deps
    try {
      const state = (await this.#send(delivery, mailer)) ? 'sent' : 'dropped'
      await finishDelivery(database.kysely, delivery.id, { state, at: new Date(now).toISOString() })
    } catch (error) {
      const result = failureOf(error, delivery.attempts, now, this.#stopping.signal.aborted)
      log.warn(
        { reportDelivery: delivery.id, attempts: delivery.attempts },
        `a usage report was not sent: ${result.error}`,
      )
      await finishDelivery(database.kysely, delivery.id, result)
    }
  }

  /** Returns false if the subscription or its receiver is gone. */
  async #send({ id, subscriptionId, receiverId, month }: ReportDelivery, mailer: Mailer): Promise<boolean> {
    const { database, identity, createReport } = this.#deps
    const subscription = await findActiveSubscription(database.kysely, subscriptionId)
    const receivers = await listReportReceivers(database.kysely, subscriptionId)
    const receiver = receivers.find((one) => one.id === receiverId)
    if (subscription === undefined || receiver === undefined || !receiver.isEnabled) return false
    const address = mailAddress(receiver)
    if (address === undefined || address === '') throw new Error(`user ${receiver.target} has no address`)
    const period = { first: `${month}-01`, last: lastOfMonth(month), isMonths: true }
    const report = await createReport(subscription, period)
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(attemptMs)])
    await mailer.send(
      {
        ...toReportMail(report, subscription, identity),
        to: address,
        id: `report-${subscriptionId}-${month}-${id}`,
      },
      signal,
    )
    return true
  }
}

/** Returns the record of a failed attempt. */
function failureOf(error: unknown, attempts: number, now: number, isStopping: boolean) {
  const after = (minutes: number): string => new Date(now + minutes * 60_000).toISOString()
  const failure = { at: after(0), error: explain(error) }
  if (isStopping) return { ...failure, state: 'pending' as const, nextTry: after(0) }
  const minutes = retryMinutes(attempts)
  return minutes === undefined
    ? { ...failure, state: 'failed' as const }
    : { ...failure, state: 'pending' as const, nextTry: after(minutes) }
}
