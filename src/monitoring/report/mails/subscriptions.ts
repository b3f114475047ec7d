import type { Database } from '../../../core/db/connection.ts'
import { notFound } from '../../../core/errors/errors.ts'
import type { Clock } from '../../../core/time/clock.ts'
import { ZoneDays } from '../../../core/values/zone-days.ts'
import { mailCaption, parseAddresses } from '../../notify/channels/mail/mail-receivers.ts'
import { findUsersByAddress } from '../../notify/records/receiver-repository.ts'
import { addMonths, monthAt } from '../report-period.ts'
import type { ReportDelivery, ReportSubscription } from './subscription-repository.ts'
import {
  deleteSubscription,
  insertSubscription,
  listDeliveries,
  listReportReceivers,
  listSubscriptions,
} from './subscription-repository.ts'

const listedDeliveries = 24

/** A subscription with its receivers and last mails. */
export interface ListedSubscription extends ReportSubscription {
  receivers: string[]
  deliveries: (Pick<ReportDelivery, 'month' | 'state' | 'attempts' | 'error'> & { receiver: string })[]
}

export interface NewSubscription
  extends Pick<ReportSubscription, 'by' | 'compare' | 'language' | 'createdBy'> {
  emails: readonly string[]
}

interface SubscriptionsDeps {
  database: Database
  clock: Clock
  /** Time zone of the months. */
  zone: string
  /** Why no mail is sent; absent if mails are sent. */
  notice?: string
}

/** Subscriptions to the monthly report. */
export class ReportSubscriptions {
  readonly notice: string | undefined
  readonly #deps: SubscriptionsDeps

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps
    this.notice = deps.notice
  }

  async list(): Promise<ListedSubscription[]> {
    const { kysely } = this.#deps.database
    return Promise.all(
      (await listSubscriptions(kysely)).map(async (subscription) => {
        const receivers = await listReportReceivers(kysely, subscription.id)
        const captions = new Map(receivers.map((one) => [one.id, mailCaption(one)]))
        const deliveries = await listDeliveries(kysely, subscription.id, listedDeliveries)
        return {
          ...subscription,
          receivers: [...captions.values()],
          deliveries: deliveries.map(({ receiverId, month, state, attempts, error }) => ({
            month,
            receiver: captions.get(receiverId) ?? '',
            state,
            attempts,
            error,
          })),
        }
      }),
    )
  }

  /**
   * Creates a subscription, whose first report covers the present month. Returns an error message if
   * addresses are invalid.
   */
  async create({ emails, ...subscription }: NewSubscription): Promise<ListedSubscription | string> {
    const { database, clock, zone } = this.#deps
    const findUsers = (addresses: readonly string[]) => findUsersByAddress(database.kysely, addresses)
    const receivers = await parseAddresses(emails, { targets: [], findUsers })
    if (typeof receivers === 'string') return receivers
    const now = clock.now()
    const lastMonth = addMonths(monthAt(new ZoneDays(zone), now.getTime() / 1000), -1)
    const record = { ...subscription, createdAt: now.toISOString(), lastMonth }
    const id = await database.transaction((transaction) => insertSubscription(transaction, record, receivers))
    const created = (await this.list()).find((one) => one.id === id)
    if (created === undefined) throw notFound('unknown-id', `Subscription ${id} does not exist`)
    return created
  }

  /** Deletes a subscription. Throws `Failure` (`notFound`). */
  async delete(id: number): Promise<void> {
    if (!(await deleteSubscription(this.#deps.database.kysely, id)))
      throw notFound('unknown-id', `Subscription ${id} does not exist`)
  }
}
