import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import { severities } from '../../monitoring/model/severities.ts'
import { deliveryStates, fieldOptions, messageKinds } from '../../monitoring/notify/model/model.ts'
import { envelopeReply, nullable } from './bodies.ts'

const Severity = Type.Union(severities.map((one) => Type.Literal(one)))
const Time = Type.String({ description: 'ISO 8601' })
const Duration = Type.Object({ seconds: Type.Number(), class: Type.String() })
const Decimal = Type.String({ description: 'A decimal number' })
const Named = Type.Object({
  class: Type.String(),
  name: Type.String(),
  id: nullable(Type.Integer()),
})

const shortCheck = {
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  severity: Severity,
  active: Type.Boolean(),
  grace_period: Type.Union([Duration], {
    description: 'Least time between two messages of the same problem',
  }),
  last_send: nullable(Time),
}
const Check = Type.Object({
  ...shortCheck,
  window: Type.Union([Duration], { description: 'What one compared value stands for' }),
  failing_since: nullable(Time),
  user_threshold: Type.Record(
    Type.String(),
    Type.Object({
      metric: Type.String(),
      description: Type.String(),
      min: nullable(Type.Number()),
      max: nullable(Type.Number()),
      steps: nullable(Type.Integer()),
    }),
    { description: 'By field name; in the answer of status by id' },
  ),
})
const Problem = Type.Object({
  name: Type.String({ description: 'The metric' }),
  severity: Severity,
  message: Type.String(),
  description: Type.String(),
  offending_value: Type.String(),
  threshold_value: Type.String(),
  spotted_at: Time,
  valid_from: Time,
  valid_to: Time,
  check_url: Type.String(),
  check_id: Type.Integer(),
})
const Field = Type.Object({
  id: Type.Integer(),
  field_name: Type.String({ description: 'Also the name of the input: <metric>.<field_option>' }),
  field_option: Type.Union(fieldOptions.map((one) => Type.Literal(one))),
  description: Type.String(),
  metric: Named,
  notification_check: Named,
  min_value: nullable(Decimal),
  max_value: nullable(Decimal),
  steps: nullable(Type.Integer()),
  steps_calculated: nullable(Type.Array(Decimal)),
  current_value: Type.Union([Decimal, Duration, Type.Null()]),
  unit: Type.String(),
  is_enabled: Type.Boolean(),
  use_service: Type.Boolean(),
  use_resource: Type.Boolean(),
  use_label: Type.Boolean(),
  use_ows_service: Type.Boolean(),
  scope: Type.Object({
    service: nullable(Type.String()),
    resource: nullable(Type.Integer()),
    label: nullable(Type.String()),
    ows_service: nullable(Type.String()),
  }),
})
const Delivery = Type.Object({
  id: Type.Integer(),
  kind: Type.Union(messageKinds.map((one) => Type.Literal(one))),
  receiver: Type.String(),
  state: Type.Union(deliveryStates.map((one) => Type.Literal(one))),
  attempts: Type.Integer(),
  created: Time,
  finished: nullable(Time),
  next_try: nullable(Time),
  error: nullable(Type.String()),
})

export const StatusReply: TSchema = envelopeReply(
  Type.Array(Type.Object({ check: Check, problems: Type.Array(Problem) })),
)

export const NotificationsReply: TSchema = envelopeReply(
  Type.Object({
    problems: Type.Array(Problem),
    health_level: Type.Union([Severity, Type.Literal('ok')]),
    notifications: Type.Array(Type.Object({ ...shortCheck, url: Type.String() })),
    notices: Type.Array(Type.String(), { description: 'What keeps messages from being sent' }),
  }),
)

export const CheckReply: TSchema = envelopeReply(
  Type.Object({
    ...Check.properties,
    webhook_secrets: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Secrets that were made now, by address' }),
    ),
  }),
)

export const ConfigurationReply: TSchema = envelopeReply(
  Type.Object({
    fields: Type.Array(Field),
    form: Type.String({ description: 'Rows of an HTML table' }),
    notification: Check,
    emails: Type.Array(Type.String()),
    webhooks: Type.Array(Type.String()),
  }),
)

export const DeletedReply: TSchema = envelopeReply(Type.Array(Type.Unknown(), { description: 'Empty' }))

export const DeliveriesReply: TSchema = envelopeReply(Type.Object({ deliveries: Type.Array(Delivery) }))
