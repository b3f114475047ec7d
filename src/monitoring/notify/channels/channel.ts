import type { Socket } from 'node:net'
import type { MonitoringSettings } from '../../../core/config/monitoring-settings.ts'
import type { Clock } from '../../../core/time/clock.ts'
import type { AnyMessage, Receiver } from '../model/model.ts'

/**
 * A notification channel: its field in a check's configuration, its kinds of receivers, and how messages are
 * sent.
 */
export interface Channel {
  /** Name of the channel and of its folder. */
  name: string
  /** Kinds of receivers in the database. No other channel has the same kinds; they are never changed. */
  kinds: readonly string[]
  field: ChannelField
  /**
   * Converts the lines of the field, which are non-empty and distinct, to receivers. Returns an error message
   * if a line is invalid.
   */
  parse(lines: readonly string[], known: ReceiverLookup): Promise<ReceiverInput[] | string>
  /** Returns the line that represents a receiver, undefined if there is none; default: the target. */
  addressOf?(receiver: Receiver): string | undefined
  /** Returns the name of a receiver in the list of messages; default: the target. */
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
  /** Example of a valid line. */
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
  /** Returns the names of users by their mail addresses. */
  findUsers(addresses: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** A receiver in a request. */
export interface ReceiverInput {
  kind: string
  target: string
  /** User who has this address. The receiver is deleted together with the user. */
  userName?: string
  /** Secret in clear text; absent: an existing receiver keeps its secret. */
  secret?: string
  /** True if the server generated the secret, so that the response shows it. */
  isSecretMade?: boolean
}

/** Mail server, network access and other dependencies of the channels. */
export interface Outlets {
  settings: Pick<MonitoringSettings, 'smtpUrl' | 'mailFrom'>
  identity: ServerIdentity
  outbound: Outbound
  clock: Clock
}

/** Opens connections to permitted addresses only. */
export interface Outbound {
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket>
  /** Additional trusted certificate authorities, in PEM. */
  authorities: readonly string[]
}

/** Sends to receivers of a channel. */
export interface Sender {
  /**
   * Sends a message. Must end soon after `signal` aborts. Throws an error whose message contains no secret.
   */
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
  /** Secret of the receiver in clear text, if it has one. */
  secret?: string
  message: AnyMessage
  /** Id of the delivery, equal at every attempt. */
  deliveryId: number
  /** Current grace period of the check. */
  graceSeconds: number
}

/** Origin of messages, as shown in them. */
export interface ServerIdentity {
  /** Host name of the server. */
  host: string
  /** URL of the base path, without a trailing slash. */
  baseUrl: string
}

/** Returns the origin of messages of the server at `baseUrl`. */
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
