import type { Receiver } from '../model/model.ts'
import type { Channel } from './channel.ts'
import { mail } from './mail/mail.ts'
import { addressReceiver } from './mail/mail-receivers.ts'
import { webhook } from './webhook/webhook.ts'

/** Every way to tell receivers, one line each. */
export const channels: readonly Channel[] = [mail, webhook]

/** Undefined for a kind that a newer version has written. */
export function channelOf({ kind }: Pick<Receiver, 'kind'>): Channel | undefined {
  return channels.find(({ kinds }) => kinds.includes(kind))
}

/** The line of its channel's field that stands for a receiver; undefined where none does. */
export function lineOf(channel: Channel, receiver: Receiver): string | undefined {
  return channel.addressOf === undefined ? receiver.target : channel.addressOf(receiver)
}

/** A receiver of a check of older systems, which tell addresses of mail alone. */
export const olderReceiver = addressReceiver
