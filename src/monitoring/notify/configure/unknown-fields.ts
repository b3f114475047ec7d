import { bodyRecord, Fields } from '../../../core/text/fields.ts'
import { channels } from '../channels/channels.ts'
import type { Check } from '../model/model.ts'
import { fieldName } from '../model/model.ts'
import { scopeParts } from './described-field.ts'

/** The fields of every check's configuration, in the order of the form. */
const settingNames: readonly string[] = [
  ...channelFields(true),
  'severity',
  'active',
  'grace_period',
  'window',
  ...channelFields(false),
]

function channelFields(isFirst: boolean): string[] {
  return channels.filter(({ field }) => field.isFirst === isFirst).map(({ field }) => field.name)
}

/**
 * Returns the fields of a body. A null in JSON counts as an empty text for thresholds and their scopes, and
 * as absent for other fields.
 */
export function configurationFields(body: unknown, check: Check): Fields {
  const given = Object.entries(bodyRecord(body)).filter(
    ([name, value]) => value !== null || isThresholdField(name, check),
  )
  return new Fields(Object.fromEntries(given.map(([name, value]) => [name, value ?? ''])))
}

/** Returns field names that the configuration of a check does not have. */
export function unknownFields(fields: Fields, check: Check): string[] {
  return fields.names.filter((name) => !settingNames.includes(name) && !isThresholdField(name, check))
}

function isThresholdField(name: string, { definitions }: Check): boolean {
  const ends = ['', ...scopeParts.map(({ part }) => `.${part}`)]
  return definitions.some((one) => ends.some((end) => name === fieldName(one) + end))
}
