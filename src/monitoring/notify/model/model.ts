import type { EventType } from '../../model/event-types.ts'
import type { Severity } from '../../model/severities.ts'

/**
 * Of a delivery: `pending` is tried again, `failed` not any more, `dropped` became pointless (the check holds again, its
 * receiver was removed).
 */
export const deliveryStates = ['pending', 'sent', 'failed', 'dropped'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** What a message tells: that a check does not hold, or that it holds again. */
export const messageKinds = ['alert', 'recovery'] as const
/** One of `messageKinds`. */
export type MessageKind = (typeof messageKinds)[number]

/** What a threshold may be, and which scopes it may be given. */
export interface DefinitionBounds {
  min: number | null
  max: number | null
  /** Choices between the bounds: their number, or themselves. */
  steps: number | number[] | null
  usesService: boolean
  usesResource: boolean
  usesLabel: boolean
  usesOwsService: boolean
}

/** What is compared: a limit for all that the metric measures, or a part of it. */
export interface Threshold {
  value: number
  serviceId?: number
  resourceId?: number
  label?: string
  eventType?: EventType
}

/** One comparison of a check: a metric, how it is compared, and with which limit. */
export interface Definition {
  id: number
  metric: string
  /** Name of a comparison. */
  option: string
  /** What the field asks for, such as `Number of handled requests is lower than`. */
  description: string
  bounds: DefinitionBounds
  /** Absent: nothing is compared. */
  threshold?: Threshold
}

/** What is watched, with what was found and sent last. */
export interface Check {
  id: number
  name: string
  description: string
  severity: Severity
  isActive: boolean
  /** Least time between two messages about problems. */
  graceSeconds: number
  /** Least time that one value stands for. */
  windowSeconds: number
  /** ISO 8601. */
  lastSend?: string
  /** ISO 8601; since when it has not held. */
  failingSince?: string
  definitions: Definition[]
}

/** A definition before it is kept. */
export type NewDefinition = Omit<Definition, 'id'>

/** What the configuration of a check can change of the check itself. */
export type CheckSettings = Pick<Check, 'severity' | 'isActive' | 'graceSeconds' | 'windowSeconds'>

/** A check before it is kept. */
export type NewCheck = Pick<Check, 'name' | 'description'> &
  CheckSettings & { definitions: readonly NewDefinition[] }

/** Name of the form field of a definition. */
export function fieldName({ metric, option }: Pick<Definition, 'metric' | 'option'>): string {
  return `${metric}.${option}`
}

/** Who is told by a check. */
export interface Receiver {
  id: number
  /** One of those of a channel. */
  kind: string
  /** What it is reached by, as its channel writes it: an address, a URL, the name of a user. */
  target: string
  /** Mail address of the user that it stands for; absent for a user without one, and for everything else. */
  userAddress?: string
  /** Sealed; empty where there is none. */
  secret: string
}

/** A part of a check that does not hold. */
export interface Problem {
  definitionId: number
  metric: string
  severity: Severity
  /** What is wrong, in a few words. */
  message: string
  /** The same with its numbers and what it is about. */
  description: string
  /** What was found, as people and programs read it; empty where nothing could be. */
  offendingValue: string
  thresholdValue: string
  /** The period that was looked at, in milliseconds since 1970. */
  validFrom: number
  validTo: number
}

/** A check with what does not hold of it; nothing where all does. */
export interface CheckProblems {
  check: Check
  problems: Problem[]
}

/** What is sent, as it stood when it was written. */
export interface Message<Kind extends MessageKind | 'test' = MessageKind> {
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

/** What a channel may have to send: news of a check, or the test message that somebody asked for. */
export type AnyMessage = Message | Message<'test'>

/** A message to one receiver. */
export interface Delivery {
  id: number
  checkId: number
  receiverId: number
  receiver: string
  kind: MessageKind
  state: DeliveryState
  attempts: number
  /** ISO 8601; of what is pending. */
  nextTry: string
  /** Why the last attempt failed; without secrets. */
  error?: string
  createdAt: string
  finishedAt?: string
}

/** One number over a period for some services, as the series give it. */
export interface ValueQuestion {
  metric: string
  serviceIds: number[]
  resourceId?: number
  label?: string
  eventType?: EventType
  /** Seconds since 1970. */
  from: number
  to: number
}

/** What the series answer to a `ValueQuestion`. */
export interface FoundValue {
  /** Undefined where no row was found. */
  value: number | undefined
  /** Seconds since 1970; the end of the newest row that was ever written. */
  lastValidTo: number | undefined
}
