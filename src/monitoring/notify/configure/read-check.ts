import type { Fields } from '../../../core/text/fields.ts'
import type { NewCheck } from '../model/model.ts'
import { readDefinitions } from './read-definitions.ts'
import { readFieldSettings } from './read-settings.ts'

const defaults = { severity: 'error', isActive: true, graceSeconds: 600, windowSeconds: 60 } as const
const maxName = 255
const maxDescription = 4000
export const nameTaken = 'Notification check with this name already exists.'

/** Reads a new check from the request's fields; reports faults by field. */
export async function readNewCheck(
  fields: Fields,
  isTaken: (name: string) => Promise<boolean>,
): Promise<NewCheck> {
  const name = readName(fields)
  const description = fields.requiredText('description', { maxLength: maxDescription }).trim()
  if (name !== '' && (await isTaken(name))) fields.fail('name', nameTaken)
  const definitions = readThresholdList(fields)
  return { name, description, ...readFieldSettings(fields, defaults, false), definitions }
}

function readName(fields: Fields): string {
  const name = fields.requiredText('name', { maxLength: maxName })
  if (/\p{Cc}/u.test(name)) fields.fail('name', 'Control characters are not allowed.')
  return name.trim()
}

/** Reads the first of the two field names that is present; reports faults under the second name. */
function readThresholdList(fields: Fields): NewCheck['definitions'] {
  const given = ['user_thresholds', 'user_threshold']
    .map((name) => fields.raw(name))
    .find((one) => one != null && one !== '')
  const { definitions, errors } =
    given === undefined ? { definitions: [], errors: ['This field is required.'] } : readDefinitions(given)
  for (const message of errors) fields.fail('user_threshold', message)
  return definitions
}
