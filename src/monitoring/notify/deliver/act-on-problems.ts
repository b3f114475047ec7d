import type { Transaction } from 'kysely'
import type { Database } from '../../../core/db/connection.ts'
import type { Tables } from '../../../core/db/tables.ts'
import { channelOf } from '../channels/channels.ts'
import type { OpenChannels } from '../channels/open-channels.ts'
import type { Check, CheckProblems, MessageKind, NotificationMessage, Receiver } from '../model/model.ts'
import { claimPeriod, findCheck, setFailingSince } from '../records/check-repository.ts'
import { dropDeliveries, insertDelivery, listDeliveriesSince } from '../records/delivery-repository.ts'
import { listReceivers } from '../records/receiver-repository.ts'
import { nextStep } from './transitions.ts'

export interface ActDeps {
  database: Database
  channels: Pick<OpenChannels, 'canReach'>
}

/**
 * Records the result of a check's evaluation of the period that ends at `to`: whether it fails, and the
 * messages to send. If several servers evaluated the same period, only one records it.
 */
export async function actOnProblems(
  { database, channels }: ActDeps,
  { check: { id }, problems }: CheckProblems,
  { to, now }: { to: number; now: number },
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (!(await claimPeriod(transaction, id, to))) return
    const check = await findCheck(transaction, id)
    if (check === undefined) return
    const at = new Date(now).toISOString()
    const receivers = (await listReceivers(transaction, id)).filter((one) => channels.canReach(one))
    const step = nextStep({
      check,
      holds: problems.length === 0,
      receiverIds: receivers.map((one) => one.id),
      deliveries: await listDeliveriesSince(transaction, id, earliest(check, now)),
      now: at,
    })
    if (step.failingSince !== check.failingSince) await setFailingSince(transaction, id, step.failingSince)
    if (problems.length === 0)
      await dropDeliveries(transaction, id, { kind: 'alert', why: 'the check holds again', at })
    const write = (kind: MessageKind, ids: number[]): Promise<void> => {
      const failingSince = step.failingSince ?? check.failingSince ?? at
      const chosen = receivers.filter((one) => ids.includes(one.id))
      return enqueue(transaction, chosen, toMessage(check, { kind, problems, failingSince, spottedAt: at }))
    }
    await write('alert', step.alert)
    await write('recovery', step.recovery)
  })
}

/**
 * Returns the start of the period whose deliveries are relevant: since the check failed, and within the grace
 * period.
 */
function earliest({ failingSince, graceSeconds }: Check, now: number): string {
  const graceFrom = new Date(now - graceSeconds * 1000).toISOString()
  return failingSince !== undefined && failingSince < graceFrom ? failingSince : graceFrom
}

function toMessage(
  { id, name, description, severity }: Check,
  rest: Pick<NotificationMessage, 'kind' | 'problems' | 'failingSince' | 'spottedAt'>,
): NotificationMessage {
  return { checkId: id, checkName: name, checkDescription: description, severity, ...rest }
}

async function enqueue(
  transaction: Transaction<Tables>,
  receivers: readonly Receiver[],
  message: NotificationMessage,
): Promise<void> {
  for (const receiver of receivers) {
    const caption = channelOf(receiver)?.captionOf?.(receiver) ?? receiver.target
    const to = { receiverId: receiver.id, receiver: caption }
    await insertDelivery(transaction, to, message, message.spottedAt)
  }
}
