import { escapeHtml } from '../../../../core/text/escape.ts'
import {
  amountText,
  type Check,
  channels,
  type DescribedField,
  durationText,
  scopeParts,
} from '../../../../monitoring/index.ts'
import { severities } from '../../../../monitoring/query/index.ts'
import { csrfField } from '../../../auth/credentials.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import type { ScopeNames } from './responses.ts'
import { toScopeResponse } from './responses.ts'

export interface FormValues {
  check: Check
  /** Lines of each channel, by the name of its field. */
  lines: Readonly<Record<string, readonly string[]>>
  fields: readonly DescribedField[]
  wire: MonitoringNames
  /** CSRF token of the session, so that a page can send the form without a header. */
  csrfToken: string | undefined
}

/** One row of the table. */
type Row = [name: string, caption: string, input: string]

/** Rows of a table with the inputs of a check's configuration, filled with what is set. */
export function renderForm({ check, lines, fields, wire, csrfToken }: FormValues): string {
  const rows: Row[] = [
    ...channelRows(lines, true),
    ['severity', 'Severity', select('severity', severities, check.severity)],
    [
      'active',
      'Active',
      `<input type="checkbox" name="active" id="id_active"${check.isActive ? ' checked' : ''}>`,
    ],
    ['grace_period', 'Grace period', textInput('grace_period', durationText(check.graceSeconds))],
    ...fields.flatMap((field) => fieldRows(field, toScopeResponse(field.scope, wire))),
    ['window', 'Window', textInput('window', durationText(check.windowSeconds))],
    ...channelRows(lines, false),
  ]
  const hidden = hiddenInput(csrfField, csrfToken)
  return rows
    .map(([name, caption, input], index) => rowText(name, caption, index === 0 ? input + hidden : input))
    .join('\n')
}

function rowText(name: string, caption: string, input: string): string {
  return `<tr><th><label for="${idOf(name)}">${escapeHtml(caption)}:</label></th><td>${input}</td></tr>`
}

function channelRows(lines: FormValues['lines'], isFirst: boolean): Row[] {
  return channels
    .filter(({ field }) => field.isFirst === isFirst)
    .map(({ field: { name, caption } }) => [name, caption, textArea(name, lines[name] ?? [])])
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

function fieldRows(field: DescribedField, scope: ScopeNames): Row[] {
  const { definition, name, unit } = field
  const caption = definition.description + (unit === '' ? '' : ` (${unit})`)
  return [
    [name, caption, valueInput(field)],
    ...scopeParts
      .filter(({ isUsed }) => isUsed(definition.bounds))
      .map(({ part, caption: about }): Row => {
        const path = `${name}.${part}`
        return [path, `Only for ${about}`, textInput(path, String(scope[part] ?? ''))]
      }),
  ]
}

function valueInput({ definition: { bounds, threshold }, name, choices }: DescribedField): string {
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
