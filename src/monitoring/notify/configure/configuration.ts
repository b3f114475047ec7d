import { without } from '../../../core/values/defined.ts'
import { channelOf, channels, lineOf } from '../channels/channels.ts'
import type { Check, Receiver } from '../model/model.ts'
import type { DescribedField } from './described-field.ts'

/** A check with its receivers. */
export interface Configuration {
  check: Check
  receivers: readonly Receiver[]
}

/** A configuration with its described fields. */
export interface DescribedConfiguration extends Configuration {
  fields: readonly DescribedField[]
}

/** Returns the editable part as plain data: without results and delivery state. */
export function editedPart({ check, receivers }: Configuration): object {
  return {
    settings: without(check, 'lastSend', 'failingSince'),
    receivers: receivers.map((one) => [one.kind, one.target, channelOf(one)?.addressOf?.(one)]),
  }
}

/** Returns the lines of each channel's field, by the name of the field. */
export function receiverLines({ receivers }: Pick<Configuration, 'receivers'>): Record<string, string[]> {
  return Object.fromEntries(
    channels.map((channel) => {
      const own = receivers.filter(({ kind }) => channel.kinds.includes(kind))
      return [channel.field.name, own.flatMap((one) => lineOf(channel, one) ?? [])]
    }),
  )
}
