import { escapeHtml } from '../../lib/escape-html.ts'
import { severities } from '../../monitoring/model/severities.ts'
import { amountText } from '../../monitoring/notify/model/amount.ts'
import { durationText } from '../../monitoring/notify/model/duration.ts'
import type { Check, Definition } from '../../monitoring/notify/model/model.ts'
import { fieldName } from '../../monitoring/notify/model/model.ts'
import { calculatedSteps } from '../../monitoring/notify/model/steps.ts'
import { csrfField } from '../auth/credentials.ts'
import type { ScopeNames } from './notification-wire.ts'

export interface FormValues {
  check: Check
  emails: readonly string[]
  webhooks: readonly string[]
  scopes: ReadonlyMap<number, ScopeNames>
  /** Of the session that asks, so that a page can send the form without a header. */
  csrfToken: string | undefined
  unitOf(definition: Definition): string
}

/** Rows of a table with the inputs of a check's configuration, filled with what is set. */
export function renderForm({ check, emails, webhooks, scopes, csrfToken, unitOf }: FormValues): string {
  const seconds = durationText(check.graceSeconds)
  return [
    row('emails', 'Emails', textArea('emails', emails) + hiddenInput(csrfField, csrfToken)),
    row('severity', 'Severity', select('severity', severities, check.severity)),
    row(
      'active',
      'Active',
      `<input type="checkbox" name="active" id="id_active"${check.isActive ? ' checked' : ''}>`,
    ),
    row('grace_period', 'Grace period', textInput('grace_period', seconds)),
    ...check.definitions.flatMap((one) => fieldRows(one, unitOf(one), scopes.get(one.id))),
    row('window', 'Window', textInput('window', durationText(check.windowSeconds))),
    row('webhooks', 'Webhooks', textArea('webhooks', webhooks)),
  ].join('\n')
}

function row(name: string, caption: string, input: string): string {
  return `<tr><th><label for="${idOf(name)}">${escapeHtml(caption)}:</label></th><td>${input}</td></tr>`
}

function idOf(name: string): string {
  return escapeHtml(`id_${name}`)
}

function textArea(name: string, lines: readonly string[]): string {
  return `<textarea name="${name}" id="${idOf(name)}" cols="40" rows="10">\n${escapeHtml(lines.join('\n'))}</textarea>`
}

function textInput(name: string, value: string): string {
  return `<input type="text" name="${escapeHtml(name)}" id="${idOf(name)}" value="${escapeHtml(value)}">`
}

function hiddenInput(name: string, value: string | undefined): string {
  return value === undefined ? '' : `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`
}

function select(name: string, choices: readonly string[], chosen: string): string {
  const options = choices.map(
    (one) =>
      `<option value="${escapeHtml(one)}"${one === chosen ? ' selected' : ''}>${escapeHtml(one === '' ? '---------' : one)}</option>`,
  )
  return `<select name="${escapeHtml(name)}" id="${idOf(name)}">${options.join('')}</select>`
}

function fieldRows(definition: Definition, unit: string, scope: ScopeNames | undefined): string[] {
  const name = fieldName(definition)
  const { usesService, usesResource, usesLabel, usesOwsService } = definition.bounds
  const scopes: [part: keyof ScopeNames, caption: string, isUsed: boolean][] = [
    ['service', 'service', usesService],
    ['resource', 'resource', usesResource],
    ['label', 'label', usesLabel],
    ['ows_service', 'OWS service', usesOwsService],
  ]
  return [
    row(name, definition.description + (unit === '' ? '' : ` (${unit})`), valueInput(definition, name)),
    ...scopes
      .filter(([, , isUsed]) => isUsed)
      .map(([part, caption]) =>
        row(
          `${name}.${part}`,
          `Only for ${caption}`,
          textInput(`${name}.${part}`, String(scope?.[part] ?? '')),
        ),
      ),
  ]
}

function valueInput({ bounds, threshold }: Definition, name: string): string {
  const choices = calculatedSteps(bounds)
  const value = threshold?.value
  if (choices === undefined) {
    const limit = (attribute: string, bound: number | null): string =>
      bound === null ? '' : ` ${attribute}="${bound}"`
    const current = value === undefined ? '' : String(value)
    return `<input type="number" name="${escapeHtml(name)}" id="${idOf(name)}" step="0.01"${limit('min', bounds.min)}${limit('max', bounds.max)} value="${current}">`
  }
  const known = choices.find((one) => Number(one) === value)
  const chosen = value === undefined ? '' : (known ?? amountText(value))
  const all = ['', ...choices, ...(chosen === '' || known !== undefined ? [] : [chosen])]
  return select(name, all, chosen)
}
