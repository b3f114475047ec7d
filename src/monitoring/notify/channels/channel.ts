import type { Socket } from 'node:net'
import type { MonitoringSettings } from '../../../core/config/monitoring-settings.ts'
import type { Clock } from '../../../core/time/clock.ts'
import type { AnyMessage, Receiver } from '../model/model.ts'

/**
 * A notification channel: its field in a check's configuration, its kinds of receivers, and how messages are
 * sent.
 */
export interface Channel {
  /** Also the name of its folder. */
  name: string
  /** Kinds of receivers as the database names them, its own alone; never changed. */
  kinds: readonly string[]
  field: ChannelField
  /** Receivers of the field's lines, which are neither empty nor twice the same; or what is wrong with them. */
  parse(lines: readonly string[], known: ReceiverLookup): Promise<ReceiverInput[] | string>
  /** Returns the line that represents a receiver, undefined if there is none; default: the target. */
  addressOf?(receiver: Receiver): string | undefined
  /** A receiver in the list of messages; without this it is the target. */
  captionOf?(receiver: Receiver): string
  /** Creates the sender, or returns why the server cannot send. */
  open(outlets: Outlets): Sender | Closed
}

/** A channel's field in request bodies, responses and forms. */
interface ChannelField {
  name: string
  caption: string
  /** Accepted values, for the API description. */
  description: string
  /** A line that it takes. */
  example: string
  /** Separator of lines. */
  separator: RegExp
  maxLines: number
  /** True if forms show it above the settings of the check; otherwise at the end. */
  isFirst: boolean
  /** Response key that shows generated secrets once; absent if none are generated. */
  secretsName?: string
}

/** Existing receivers while lines are parsed. */
export interface ReceiverLookup {
  /** Targets of the check's receivers of this channel. */
  targets: readonly string[]
  /** Names of the users that mail addresses belong to, by address. */
  findUsers(addresses: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** A receiver in a request. */
export interface ReceiverInput {
  kind: string
  target: string
  /** The user whose address it is: deleted with the user. */
  userName?: string
  /** In clear text; absent: a known receiver keeps its secret. */
  secret?: string
  /** True if the server generated the secret, so that the response shows it. */
  isSecretMade?: boolean
}

/** Means of sending of this server. */
export interface Outlets {
  settings: Pick<MonitoringSettings, 'smtpUrl' | 'mailFrom'>
  place: ServerIdentity
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
  /** Ends soon after `signal` is aborted. Throws an error whose message contains no secret. */
  send(parcel: Parcel, signal: AbortSignal): Promise<void>
}

/** A channel that this server cannot use. */
export interface Closed {
  /** Reason, for everyone who can see the checks. */
  notice: string
  /** Why a message was not delivered. */
  reason: string
}

/** A message to one receiver. */
export interface Parcel {
  receiver: Receiver
  /** In clear; absent where the receiver has none. */
  secret?: string
  message: AnyMessage
  /** The same at every attempt. */
  deliveryId: number
  /** Current grace period of the check. */
  graceSeconds: number
}

/** Origin of messages, as shown in them. */
export interface ServerIdentity {
  /** Host name of the server. */
  host: string
  /** Address of the base path, without a slash behind. */
  baseUrl: string
}

/** Returns the origin of messages of a server at that address. */
export function serverIdentity(baseUrl: string): ServerIdentity {
  return { host: new URL(baseUrl).hostname.replace(/^\[|\]$/g, ''), baseUrl }
}

/** Returns the URL of a check's configuration. */
export function configUrl({ baseUrl }: ServerIdentity, checkId: number): string {
  return `${baseUrl}/monitoring/api/notifications/config/${checkId}/`
}

/** Returns the URL of all current problems. */
export function statusUrl({ baseUrl }: ServerIdentity): string {
  return `${baseUrl}/monitoring/api/status/`
}
