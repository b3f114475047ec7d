import type { Fields } from '../../../core/text/fields.ts'
import { severities } from '../../model/records.ts'
import { parseDuration } from '../model/duration.ts'
import type { CheckSettings } from '../model/model.ts'

const yes = ['true', '1', 'on', 'yes']
const no = ['false', '0', 'off', 'no']
const minWindow = 60

/** Reads a checkbox of a form, or a JSON boolean; undefined if absent. */
function readActive(fields: Fields): boolean | undefined {
  const given = fields.raw('active')
  if (typeof given === 'boolean') return given
  const text = fields.text('active', { keepsEmpty: true })
  if (text === undefined) return undefined
  const word = text.toLowerCase()
  if (yes.includes(word)) return true
  return no.includes(word) || word === '' ? false : fields.failChoice('active', text)
}

function readDuration(fields: Fields, name: string, least: number): number | undefined {
  const text = fields.text(name)
  if (text === undefined) return undefined
  const seconds = parseDuration(text)
  if (seconds === undefined) return fields.fail(name, 'Enter a valid duration: HH:MM:SS.')
  return seconds >= least ? seconds : fields.fail(name, `Ensure this value is at least ${least} seconds.`)
}

/**
 * Returns the settings of a check after a request; absent fields are unchanged. `isForm`: an absent checkbox
 * is unchecked.
 */
export function readFieldSettings(fields: Fields, before: CheckSettings, isForm: boolean): CheckSettings {
  return {
    severity: fields.choice('severity', severities) ?? before.severity,
    isActive: readActive(fields) ?? (isForm ? false : before.isActive),
    graceSeconds: readDuration(fields, 'grace_period', 0) ?? before.graceSeconds,
    windowSeconds: readDuration(fields, 'window', minWindow) ?? before.windowSeconds,
  }
}
