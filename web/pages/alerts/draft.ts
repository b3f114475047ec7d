import type { Configuration, Field } from './types.ts'

/** One comparison in the form, as entered. */
export interface FieldDraft {
  value: string
  service: string
  /** As `layer=ws:roads`. */
  resource: string
  label: string
}

/** An alert in the form. */
export interface Draft {
  emails: string
  webhooks: string
  severity: string
  isActive: boolean
  graceMinutes: string
  windowMinutes: string
  /** By the name of the field. */
  fields: Record<string, FieldDraft>
}

export const emptyField: FieldDraft = { value: '', service: '', resource: '', label: '' }

export const emptyDraft: Draft = {
  emails: '',
  webhooks: '',
  severity: 'error',
  isActive: true,
  graceMinutes: '60',
  windowMinutes: '5',
  fields: {},
}

const minuteSeconds = 60

/** `nameOf` returns the name of a resource by its id. */
export function draftOf(
  { fields, notification, emails, webhooks }: Configuration,
  nameOf: (id: number) => string,
): Draft {
  return {
    emails: emails.join(', '),
    webhooks: webhooks.join('\n'),
    severity: notification.severity,
    isActive: notification.active,
    graceMinutes: String(notification.grace_period.seconds / minuteSeconds),
    windowMinutes: String(notification.window.seconds / minuteSeconds),
    fields: Object.fromEntries(
      fields.map((field): [string, FieldDraft] => [
        field.field_name,
        {
          value: valueText(field),
          service: field.scope.service ?? '',
          resource: field.scope.resource === null ? '' : nameOf(field.scope.resource),
          label: field.scope.label ?? '',
        },
      ]),
    ),
  }
}

function valueText({ current_value: value }: Field): string {
  if (value === null) return ''
  if (typeof value === 'object') return String(value.seconds)
  return String(Number(value))
}

/** Allowed scope of a field. */
export type Narrowing = Pick<Field, 'field_name' | 'use_service' | 'use_resource' | 'use_label'>

/** The body that saves a draft. */
export function bodyOf(draft: Draft, fields: readonly Narrowing[]): Record<string, unknown> {
  const body: Record<string, unknown> = {
    emails: draft.emails
      .split(/[\s,;]+/)
      .join('\n')
      .trim(),
    webhooks: draft.webhooks.trim(),
    severity: draft.severity,
    active: draft.isActive,
    grace_period: durationText(draft.graceMinutes),
    window: durationText(draft.windowMinutes),
  }
  for (const { field_name: name, use_service, use_resource, use_label } of fields) {
    const { value, service, resource, label } = draft.fields[name] ?? emptyField
    body[name] = value.trim()
    if (use_service) body[`${name}.service`] = service
    if (use_resource) body[`${name}.resource`] = resource.trim()
    if (use_label) body[`${name}.label`] = label
  }
  return body
}

/** Converts minutes to `HH:MM:SS`; sends invalid input unchanged, so that the server reports it. */
function durationText(minutes: string): string {
  const seconds = Math.round(Number(minutes) * minuteSeconds)
  if (minutes.trim() === '' || !Number.isFinite(seconds) || seconds < 0) return minutes
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${two(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`
}
