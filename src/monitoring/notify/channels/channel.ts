import type { Socket } from 'node:net'
import type { MonitoringSettings } from '../../../config/monitoring-settings.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { AnyMessage, Receiver } from '../model/model.ts'
import type { Place } from './place.ts'

/** A way to tell receivers: its field in a check's configuration, its kinds of receivers, and how they are sent to. */
export interface Channel {
  /** Also the name of its folder. */
  name: string
  /** Kinds of receivers as the database names them, its own alone; never changed. */
  kinds: readonly string[]
  field: ChannelField
  /** Receivers of the field's lines, which are neither empty nor twice the same; or what is wrong with them. */
  parse(lines: readonly string[], known: KnownReceivers): Promise<GivenReceiver[] | string>
  /** The line that stands for a receiver, undefined where there is none; without this it is the target. */
  addressOf?(receiver: Receiver): string | undefined
  /** A receiver in the list of messages; without this it is the target. */
  captionOf?(receiver: Receiver): string
  /** How this server sends, or why it cannot. */
  open(outlets: Outlets): Sender | Closed
}

/** The field that a channel has in bodies, answers and forms. */
interface ChannelField {
  name: string
  caption: string
  /** What it takes, for the description of the interface. */
  description: string
  /** A line that it takes. */
  example: string
  /** What stands between lines. */
  separator: RegExp
  maxLines: number
  /** Whether a form has it above the settings of the check; otherwise it stands below everything. */
  isFirst: boolean
  /** The key of answers that tells, once, secrets that were made; absent where none are made. */
  secretsName?: string
}

/** What is there already while lines are parsed. */
export interface KnownReceivers {
  /** Targets of the check's receivers of this channel. */
  targets: readonly string[]
  /** Names of the users that mail addresses belong to, by address. */
  findUsers(addresses: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** A receiver as somebody gives it. */
export interface GivenReceiver {
  kind: string
  target: string
  /** The user that it stands for: with the user it goes. */
  userName?: string
  /** In clear; absent: one that is known keeps its own. */
  secret?: string
  /** Whether the secret was made here, so that whoever gives the receiver is told it. */
  isSecretMade?: boolean
}

/** What a server has to send with. */
export interface Outlets {
  settings: Pick<MonitoringSettings, 'smtpUrl' | 'mailFrom'>
  place: Place
  outbound: Outbound
  clock: Clock
}

/** Opens a connection to an address that may be reached, and to no other. */
export interface Outbound {
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket>
  /** Certificates that servers may be vouched for by, in PEM. */
  authorities: readonly string[]
}

/** Sends to receivers of a channel. */
export interface Sender {
  /** Ends soon after `signal` is aborted. Throws an error whose message tells no secret. */
  send(parcel: Parcel, signal: AbortSignal): Promise<void>
}

/** A channel that this server cannot use. */
export interface Closed {
  /** For everyone who looks at the checks. */
  notice: string
  /** Why a message was not delivered. */
  reason: string
}

/** A message on its way to one receiver. */
export interface Parcel {
  receiver: Receiver
  /** In clear; absent where the receiver has none. */
  secret?: string
  message: AnyMessage
  /** The same at every attempt. */
  deliveryId: number
  /** Of the check, as it is now. */
  graceSeconds: number
}
