import type { EventType } from '../../model/event-types.ts'
import type { Severity } from '../../model/records.ts'

/**
 * States of a delivery: `pending` will be tried again, `failed` will not, `dropped` is obsolete (the check
 * recovered or its receiver was removed).
 */
export const deliveryStates = ['pending', 'sent', 'failed', 'dropped'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Kinds of messages: a check fails, or has recovered. */
export const messageKinds = ['alert', 'recovery'] as const
/** One of `messageKinds`. */
export type MessageKind = (typeof messageKinds)[number]

/** Allowed values and scopes of a threshold. */
export interface DefinitionBounds {
  min: number | null
  max: number | null
  /** Choices between the bounds: their number, or a list. */
  steps: number | number[] | null
  usesService: boolean
  usesResource: boolean
  usesLabel: boolean
  usesOwsService: boolean
}

/** A limit for all data of a metric, or for a part of them. */
export interface Threshold {
  value: number
  serviceId?: number
  resourceId?: number
  label?: string
  eventType?: EventType
}

/** One comparison of a check: metric, comparison and limit. */
export interface Definition {
  id: number
  metric: string
  /** Name of a comparison. */
  option: string
  /** Text of the field, such as `Number of handled requests is lower than`. */
  description: string
  bounds: DefinitionBounds
  /** Absent if the comparison is disabled. */
  threshold?: Threshold
}

/** A check with its last result and delivery. */
export interface Check {
  id: number
  name: string
  description: string
  severity: Severity
  isActive: boolean
  /** Minimum time between two messages about problems. */
  graceSeconds: number
  /** Length of the evaluated period. */
  windowSeconds: number
  /** ISO 8601. */
  lastSend?: string
  /** ISO 8601; time since which it has failed. */
  failingSince?: string
  definitions: Definition[]
}

/** A definition before it is stored. */
export type NewDefinition = Omit<Definition, 'id'>

/** Fields that the configuration can change. */
export type CheckSettings = Pick<Check, 'severity' | 'isActive' | 'graceSeconds' | 'windowSeconds'>

/** A check before it is stored. */
export type NewCheck = Pick<Check, 'name' | 'description'> &
  CheckSettings & { definitions: readonly NewDefinition[] }

/** Name of the form field of a definition. */
export function fieldName({ metric, option }: Pick<Definition, 'metric' | 'option'>): string {
  return `${metric}.${option}`
}

/** Receiver of a check's messages. */
export interface Receiver {
  id: number
  /** One of the kinds of its channel. */
  kind: string
  /** Target in the channel's notation: an address, a URL, a user name. */
  target: string
  /** Mail address of the user; absent for a user without one, and for other receivers. */
  userAddress?: string
  /** Encrypted secret; empty if there is none. */
  secret: string
}

/** A part of a check that fails. */
export interface Problem {
  definitionId: number
  metric: string
  severity: Severity
  /** Short description. */
  message: string
  /** Long description with values and subject. */
  description: string
  /** Found value, for people and programs; empty if there is none. */
  offendingValue: string
  thresholdValue: string
  /** Evaluated period, in milliseconds since 1970. */
  validFrom: number
  validTo: number
}

/** A check with its problems; none if it passes. */
export interface CheckProblems {
  check: Check
  problems: Problem[]
}

/** Content of a message at the time of its creation. */
export interface NotificationMessage<Kind extends MessageKind | 'test' = MessageKind> {
  kind: Kind
  checkId: number
  checkName: string
  checkDescription: string
  severity: Severity
  /** ISO 8601. */
  spottedAt: string
  failingSince: string
  problems: Problem[]
}

/** A message that a channel sends: alert, recovery, or requested test. */
export type AnyMessage = NotificationMessage | NotificationMessage<'test'>

/** A message to one receiver. */
export interface Delivery {
  id: number
  checkId: number
  receiverId: number
  receiver: string
  kind: MessageKind
  state: DeliveryState
  attempts: number
  /** Time of the next attempt of a pending delivery, ISO 8601. */
  nextTry: string
  /** Why the last attempt failed; without secrets. */
  error?: string
  createdAt: string
  finishedAt?: string
}

/** Query for one number over a period and some services. */
export interface ValueQuery {
  metric: string
  serviceIds: number[]
  resourceId?: number
  label?: string
  eventType?: EventType
  /** Seconds since 1970. */
  from: number
  to: number
}

/** Result of a `ValueQuery`. */
export interface ValueResult {
  /** Undefined if there is no row. */
  value: number | undefined
  /** End of the newest stored row, in seconds since 1970. */
  lastValidTo: number | undefined
}
