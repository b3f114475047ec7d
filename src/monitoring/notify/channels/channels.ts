import type { Receiver } from '../model/model.ts'
import type { Channel } from './channel.ts'
import { mail } from './mail/mail.ts'
import { addressReceiver } from './mail/mail-receivers.ts'
import { webhook } from './webhook/webhook.ts'

/** All notification channels. */
export const channels: readonly Channel[] = [mail, webhook]

/** Returns the channel of a receiver; undefined for a kind that a newer version has stored. */
export function channelOf({ kind }: Pick<Receiver, 'kind'>): Channel | undefined {
  return channels.find(({ kinds }) => kinds.includes(kind))
}

/** Returns the line of the channel's field for a receiver; undefined if it has none. */
export function lineOf(channel: Channel, receiver: Receiver): string | undefined {
  return channel.addressOf === undefined ? receiver.target : channel.addressOf(receiver)
}

/** A receiver of a check of older systems, which support only mail addresses. */
export const olderReceiver = addressReceiver
