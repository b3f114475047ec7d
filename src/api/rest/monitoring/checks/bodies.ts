import type { TProperties, TSchema } from 'typebox'
import { Type } from 'typebox'
import { channels, comparisons, deliveryStates, messageKinds } from '../../../../monitoring/index.ts'
import { severities } from '../../../../monitoring/query/index.ts'
import { envelopeReply, nullable } from '../bodies.ts'

const Severity = Type.Union(severities.map((one) => Type.Literal(one)))
const Time = Type.String({ description: 'ISO 8601' })
const duration = (description: string): TSchema =>
  Type.Object({ seconds: Type.Number(), class: Type.String() }, { description })
const Decimal = Type.String({ description: 'A decimal number' })
const FieldOption = Type.Union(
  comparisons.map(({ name, isProblemWhen }) =>
    Type.Literal(name, { description: `Reports a problem if ${isProblemWhen}` }),
  ),
)
const Named = Type.Object({ class: Type.String(), name: Type.String(), id: nullable(Type.Integer()) })

const shortCheck = {
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  severity: Severity,
  active: Type.Boolean(),
  grace_period: duration('Minimum time between two messages about the same problem'),
  last_send: nullable(Time),
}
const ListedCheck = Type.Object({ ...shortCheck, url: Type.String() })
const Check = Type.Object({
  ...shortCheck,
  window: duration('Time covered by one compared value'),
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
function fieldOf(currentValues: TSchema[]): TSchema {
  return Type.Object({
    id: Type.Integer(),
    field_name: Type.String({ description: 'Also the name of the input: <metric>.<field_option>' }),
    field_option: FieldOption,
    description: Type.String(),
    metric: Named,
    notification_check: Named,
    min_value: nullable(Decimal),
    max_value: nullable(Decimal),
    steps: nullable(Type.Integer()),
    steps_calculated: nullable(Type.Array(Decimal)),
    current_value: Type.Union([...currentValues, Type.Null()]),
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
}
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

const Level = Type.Union([Severity, Type.Literal('ok')])

/** Current problems by check. */
export const StatusReply: TSchema = envelopeReply(
  Type.Array(Type.Object({ check: Check, problems: Type.Array(Problem) })),
)
export const OlderStatusReply: TSchema = envelopeReply(
  Type.Object({ problems: Type.Array(Problem), health_level: Level }),
)

export const NotificationsReply: TSchema = envelopeReply(
  Type.Object({
    problems: Type.Array(Problem),
    health_level: Level,
    notifications: Type.Array(ListedCheck),
    notices: Type.Array(Type.String(), { description: 'Reason why messages cannot be sent' }),
  }),
)
export const OlderNotificationsReply: TSchema = envelopeReply(Type.Array(ListedCheck))

/** Fields that channels add to responses: generated secrets, shown once. */
const secrets = Object.fromEntries(
  channels.flatMap(({ field: { name, secretsName } }) => {
    if (secretsName === undefined) return []
    const description = `New webhook secrets of ${name}, by URL`
    return [[secretsName, Type.Optional(Type.Record(Type.String(), Type.String(), { description }))]]
  }),
)

export const CheckReply: TSchema = envelopeReply(Type.Object({ ...Check.properties, ...secrets }))

function configurationReply(currentValues: TSchema[]): TSchema {
  const lines = channels.map(({ field: { name, caption } }) => [
    name,
    Type.Array(Type.String(), { description: caption }),
  ])
  return envelopeReply(
    Type.Object({
      fields: Type.Array(fieldOf(currentValues)),
      form: Type.String({ description: 'Rows of an HTML table' }),
      notification: Check,
      ...(Object.fromEntries(lines) as TProperties),
    }),
  )
}

export const ConfigurationReply = configurationReply([Decimal, duration('Of a threshold that is a time')])
export const OlderConfigurationReply = configurationReply([
  Type.Object({ class: Type.String(), value: Type.Union([Decimal, Type.Number()]) }),
])

export const DeletedReply: TSchema = envelopeReply(Type.Array(Type.Unknown(), { description: 'Empty' }))

export const TestReply: TSchema = envelopeReply(
  Type.Object({
    results: Type.Array(
      Type.Object({
        receiver: Type.String(),
        sent: Type.Boolean({ description: 'True if the receiver accepted the message' }),
        error: nullable(Type.String()),
      }),
    ),
  }),
)

export const DeliveriesReply: TSchema = envelopeReply(Type.Object({ deliveries: Type.Array(Delivery) }))

/** Media types of the bodies of checks. */
export const bodyTypes = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data']

/** Fields of channels, before and behind the settings of a check. */
function channelFields(isFirst: boolean): TProperties {
  const own = channels.filter(({ field }) => field.isFirst === isFirst)
  return Object.fromEntries(
    own.map(({ field: { name, description, example } }) => {
      const list = Type.Union([Type.String(), Type.Array(Type.String())], {
        description,
        examples: [example],
      })
      return [name, Type.Optional(list)]
    }),
  )
}

function settings(defaults: {
  severity: string
  active: string
  grace: string
  window: string
}): TProperties {
  const { severity, active, grace, window } = defaults
  const flag = Type.Union([Type.Boolean(), Type.String()], {
    description: `True if the check is evaluated${active}`,
  })
  const duration = (what: string): TSchema =>
    Type.Optional(Type.String({ description: what, examples: ['00:10:00'] }))
  return {
    ...channelFields(true),
    severity: Type.Optional(
      Type.Union([...Severity.anyOf], { description: `Severity of a problem${severity}` }),
    ),
    active: Type.Optional(flag),
    grace_period: duration(`HH:MM:SS between two messages of the same problem${grace}`),
    window: duration(`HH:MM:SS that one value stands for${window}`),
    ...channelFields(false),
  }
}

const thresholdList = Type.Union([Type.String(), Type.Array(Type.Array(Type.Unknown()))], {
  description:
    'JSON list of lists with 10 elements: metric, option, four flags, minimum, maximum, steps, description; required',
})

/** A new check. */
export const CreationBody = Type.Object({
  name: Type.String({ description: 'Required; must be unique' }),
  description: Type.String({ description: 'Required' }),
  ...settings({
    severity: '; default error',
    active: '; default true',
    grace: '; default 00:10:00',
    window: '; default 00:01:00',
  }),
  user_thresholds: Type.Optional(thresholdList),
  user_threshold: Type.Optional(Type.Union([...thresholdList.anyOf], { description: 'The same' })),
})

/** Changed fields of a check; absent ones stay. */
export const ChangeBody = Type.Object(
  settings({ severity: '', active: '; absent in a form: no', grace: '', window: '' }),
  {
    additionalProperties: Type.Union([Type.String(), Type.Number(), Type.Null()], {
      description: 'Limits by the field_name of their fields, and parts of their scopes; empty or null: none',
    }),
  },
)
