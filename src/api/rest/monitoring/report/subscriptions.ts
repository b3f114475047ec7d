import { Type } from 'typebox'
import { FieldFailure } from '../../../../core/errors/errors.ts'
import { reportGroupings } from '../../../../monitoring/query/index.ts'
import type { ListedSubscription, ReportSubscriptions } from '../../../../monitoring/report/index.ts'
import { reportComparisons, reportLanguages } from '../../../../monitoring/report/index.ts'
import { loginNeeded } from '../../../app-types.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import { empty } from '../../../description.ts'
import { operation } from '../../../endpoint.ts'
import { IdParams, nullable } from '../bodies.ts'
import type { Fields } from '../parameters.ts'
import { bodyFields, describeFields, pathId } from '../parameters.ts'

const tags = ['monitoring']
const maxEmails = 100

/** Dependencies of the subscriptions to reports. */
export interface SubscriptionDeps {
  subscriptions: ReportSubscriptions
  wire: Pick<MonitoringNames, 'dialect'>
}

const settings = {
  by: Type.Enum([...reportGroupings], { description: 'Grouping of rows; default layer' }),
  compare: Type.Enum([...reportComparisons], { description: 'Compare with the month before, or a year ago' }),
  language: Type.Enum([...reportLanguages], { description: 'Default: en' }),
  emails: Type.Array(Type.String(), { description: 'Addresses', examples: [['gis@example.org']] }),
}

const Subscription = Type.Object(
  {
    id: Type.Integer(),
    emails: Type.Array(Type.String()),
    by: settings.by,
    compare: nullable(settings.compare),
    language: settings.language,
    createdBy: Type.String({ description: 'User whose layers the report has' }),
    created: Type.String({ format: 'date-time' }),
    lastMonth: Type.String({ description: 'Last month for which mails were queued' }),
    deliveries: Type.Array(
      Type.Object({
        month: Type.String(),
        receiver: Type.String(),
        state: Type.String({ description: 'pending, sent, failed or dropped' }),
        attempts: Type.Integer(),
        error: nullable(Type.String()),
      }),
    ),
  },
  { title: 'ReportSubscription' },
)
const notice = nullable(Type.String({ description: 'Reason why no mail is sent' }))

export const createSubscription = operation({
  summary: 'Subscribe to the monthly usage report by mail',
  description:
    'Sends the report of a month once to each address, at 6:00 on the second day of the next month, in HTML and plain text with the complete report as CSV. The first report covers the current month.',
  tags,
  idempotent: true,
  body: describeFields({ ...settings, subscription: describeFields(settings) }),
  answers: { 201: Type.Object({ subscription: Subscription, notice }) },
  handle: async ({ subscriptions, wire }: SubscriptionDeps, request, reply) => {
    const fields = bodyFields(request, wire.dialect)
    const requested = readSubscription(
      fields.hasInside('subscription') ? fields.inside('subscription') : fields,
    )
    const { name: createdBy } = request.caller
    if (createdBy === undefined) throw loginNeeded()
    const created = await subscriptions.create({ ...requested, createdBy })
    if (typeof created === 'string') throw new FieldFailure({ emails: [created] })
    return reply.code(201).send({ subscription: toResponse(created), notice: subscriptions.notice ?? null })
  },
})

export const listSubscriptions = operation({
  summary: 'List subscriptions to the usage report',
  description: 'Lists the receivers of the monthly report by mail, and its contents.',
  tags,
  answers: { 200: Type.Object({ subscriptions: Type.Array(Subscription), notice }) },
  handle: async ({ subscriptions }: SubscriptionDeps) => ({
    subscriptions: (await subscriptions.list()).map(toResponse),
    notice: subscriptions.notice ?? null,
  }),
})

export const deleteSubscription = operation({
  summary: 'End a subscription to the usage report',
  description: 'No further report is sent; a mail that is being sent still arrives.',
  tags,
  params: IdParams,
  answers: { 204: empty() },
  handle: async ({ subscriptions }: SubscriptionDeps, { params }, reply) => {
    await subscriptions.delete(pathId(params.id, 'Subscription'))
    return reply.code(204).send()
  },
})

/** Throws `FieldFailure`. */
function readSubscription(fields: Fields) {
  const by = fields.choice('by', reportGroupings) ?? 'layer'
  const compare = fields.choice('compare', reportComparisons)
  const language = fields.choice('language', reportLanguages) ?? 'en'
  const raw = fields.raw('emails')
  const texts = typeof raw === 'string' ? raw.split(/[\n,;]/) : Array.isArray(raw) ? raw : []
  if (!texts.every((one) => typeof one === 'string')) fields.fail('emails', 'Enter addresses as texts.')
  const emails = [
    ...new Set(
      texts
        .filter((one) => typeof one === 'string')
        .map((one) => one.trim())
        .filter((one) => one !== ''),
    ),
  ]
  if (emails.length === 0) fields.fail('emails', 'Enter at least one email address.')
  if (emails.length > maxEmails) fields.fail('emails', `Enter at most ${maxEmails} addresses.`)
  fields.finish()
  return { by, compare, language, emails }
}

function toResponse({
  id,
  by,
  compare,
  language,
  createdBy,
  createdAt,
  lastMonth,
  receivers,
  deliveries,
}: ListedSubscription) {
  return {
    id,
    emails: receivers,
    by,
    compare: compare ?? null,
    language,
    createdBy,
    created: createdAt,
    lastMonth,
    deliveries: deliveries.map((one) => ({ ...one, error: one.error ?? null })),
  }
}
