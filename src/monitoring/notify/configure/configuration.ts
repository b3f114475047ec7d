import { defined, without } from '../../../lib/defined.ts'
import type { EventType } from '../../model/event-types.ts'
import { channelOf, channels, lineOf } from '../channels/channels.ts'
import type { Check, Receiver } from '../model/model.ts'

/** A check with whom it tells. */
export interface Configuration {
  check: Check
  receivers: readonly Receiver[]
}

/** A configuration with the names of what its thresholds are about, by the ids of definitions. */
export interface NamedConfiguration extends Configuration {
  scopes: ReadonlyMap<number, NamedScope>
}

/** What a threshold is about; everything where nothing is said. */
export interface NamedScope {
  service?: string
  resourceId?: number
  label?: string
  eventType?: EventType
}

/** What somebody edits, as plain data: what was found and sent changes nothing of it. */
export function editedPart({ check, receivers }: Configuration): object {
  return {
    settings: without(check, 'lastSend', 'failingSince'),
    receivers: receivers.map((one) => [one.kind, one.target, channelOf(one)?.addressOf?.(one)]),
  }
}

/** The lines of each channel's field, by its name. */
export function receiverLines({ receivers }: Pick<Configuration, 'receivers'>): Record<string, string[]> {
  return Object.fromEntries(
    channels.map((channel) => {
      const own = receivers.filter(({ kind }) => channel.kinds.includes(kind))
      return [channel.field.name, own.flatMap((one) => lineOf(channel, one) ?? [])]
    }),
  )
}

/** What each threshold of a check is about. */
export function namedScopes(
  { definitions }: Check,
  services: readonly { id: number; name: string }[],
): Map<number, NamedScope> {
  return new Map(
    definitions.map(({ id, threshold }) => {
      const { serviceId, resourceId, label, eventType } = threshold ?? {}
      const service = services.find((one) => one.id === serviceId)?.name
      return [id, defined({ service, resourceId, label, eventType })]
    }),
  )
}
