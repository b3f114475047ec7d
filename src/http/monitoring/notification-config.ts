import { Type } from 'typebox'
import { FieldFailure, notFound } from '../../lib/errors.ts'
import { createVault } from '../../lib/vault.ts'
import { findMetric } from '../../monitoring/metrics/metrics.ts'
import type { ServiceRecord } from '../../monitoring/model/records.ts'
import { limitUnit } from '../../monitoring/notify/evaluate/problem-text.ts'
import type { Check, Definition, Threshold } from '../../monitoring/notify/model/model.ts'
import { fieldName } from '../../monitoring/notify/model/model.ts'
import {
  deleteCheck,
  findCheck,
  updateCheck,
  updateThreshold,
} from '../../monitoring/notify/records/check-repository.ts'
import { dropDeliveries, listDeliveries } from '../../monitoring/notify/records/delivery-repository.ts'
import type { FullReceiver } from '../../monitoring/notify/records/receiver-repository.ts'
import { listReceivers, replaceReceivers } from '../../monitoring/notify/records/receiver-repository.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { etagOf, requireMatch } from '../etag.ts'
import { isForm } from '../form-body.ts'
import { IdParams } from './bodies.ts'
import { envelope } from './envelope.ts'
import { CheckReply, ConfigurationReply, DeletedReply, DeliveriesReply } from './notification-bodies.ts'
import { renderForm } from './notification-form.ts'
import { readEmails, readWebhooks } from './notification-receivers.ts'
import { readSettings } from './notification-settings.ts'
import { readThreshold } from './notification-thresholds.ts'
import {
  emailsOf,
  scopeNames,
  toWireCheck,
  toWireDelivery,
  toWireField,
  webhooksOf,
} from './notification-wire.ts'
import { bodyFields, describeFields, pathId, queryFields } from './parameters.ts'
import type { MonitoringScope } from './scope.ts'

const tags = ['monitoring']
const path = '/monitoring/api/notifications/config/:id'
const config = { access: 'staff' } as const
const settingNames = ['emails', 'severity', 'active', 'grace_period', 'window', 'webhooks']

/** `/monitoring/api/notifications/config/<id>[/deliveries]`. */
export function addNotificationConfigRoutes(app: App, scope: MonitoringScope): void {
  app.get(
    path,
    {
      config,
      schema: {
        tags,
        summary: 'Configuration of a check',
        params: IdParams,
        response: { 200: ConfigurationReply },
      },
    },
    async (request, reply) => sendConfiguration(request, reply, scope),
  )

  app.post(
    path,
    {
      config: { access: 'staff', idempotent: true, takesForms: true, keepsNulls: true },
      schema: {
        tags,
        summary: 'Change what a check compares and whom it tells',
        params: IdParams,
        body: Type.Object(
          Object.fromEntries(settingNames.map((name) => [name, Type.Optional(Type.String())])),
          { additionalProperties: Type.Unknown({ description: 'Fields by their field_name' }) },
        ),
        response: { 200: CheckReply },
      },
    },
    async (request, reply) => changeConfiguration(request, reply, scope),
  )

  app.delete(
    path,
    {
      config,
      schema: { tags, summary: 'Delete a check', params: IdParams, response: { 200: DeletedReply } },
    },
    async (request) => {
      const known = await getKnown(request, scope)
      requireMatch(request, settingsOf(known))
      await deleteCheck(scope.context.database.kysely, known.check.id)
      return envelope([])
    },
  )

  app.get(
    `${path}/deliveries`,
    {
      config,
      schema: {
        tags,
        summary: 'Messages of a check, newest first',
        params: IdParams,
        querystring: describeFields({ limit: 'At most so many, the newest; default 100' }),
        response: { 200: DeliveriesReply },
      },
    },
    async (request) => {
      const fields = queryFields(request, scope.wire.dialect)
      const limit = fields.integer('limit', { min: 1, max: 1000 }) ?? 100
      fields.finish()
      const { check } = await getKnown(request, scope)
      const deliveries = await listDeliveries(scope.context.database.kysely, check.id, limit)
      return envelope({ deliveries: deliveries.map((one) => toWireDelivery(one, scope.wire)) })
    },
  )
}

interface Known {
  check: Check
  receivers: FullReceiver[]
}

async function getKnown(request: FastifyRequest, { context }: MonitoringScope): Promise<Known> {
  const id = pathId((request.params as { id: string }).id, 'Notification check')
  const check = await findCheck(context.database.kysely, id)
  if (check === undefined) throw notFound('unknown-check', `Notification check ${id} does not exist`)
  return { check, receivers: await listReceivers(context.database.kysely, id) }
}

/** What an `ETag` stands for: what was found and sent changes nothing that somebody edits. */
function settingsOf({ check, receivers }: Known): object {
  const { lastSend: _sent, failingSince: _since, ...settings } = check
  return { settings, receivers: receivers.map(({ kind, target, address }) => [kind, target, address]) }
}

async function sendConfiguration(request: FastifyRequest, reply: FastifyReply, scope: MonitoringScope) {
  const known = await getKnown(request, scope)
  const { check, receivers } = known
  const services = await scope.context.services.list()
  const scopes = new Map(
    check.definitions.map((one) => [one.id, scopeNames(one.threshold, services, scope.wire)]),
  )
  const none = scopeNames(undefined, [], scope.wire)
  const [emails, webhooks] = [emailsOf(receivers), webhooksOf(receivers)]
  const { csrfToken } = request
  reply.header('etag', etagOf(settingsOf(known))).header('cache-control', 'no-cache')
  return envelope({
    fields: check.definitions.map((one) => toWireField(check, one, scope.wire, scopes.get(one.id) ?? none)),
    form: renderForm({ check, emails, webhooks, scopes, csrfToken, unitOf }),
    notification: toWireCheck(check, scope.wire, 'names'),
    emails,
    webhooks,
  })
}

function unitOf({ metric, option }: Definition): string {
  return limitUnit(option, findMetric(metric))
}

async function changeConfiguration(request: FastifyRequest, reply: FastifyReply, scope: MonitoringScope) {
  const { database, directory, services, clock } = scope.context
  const known = await getKnown(request, scope)
  requireMatch(request, settingsOf(known))
  const { check, receivers } = known
  const body = withoutNulls(request.body, check)
  const fields = bodyFields({ body }, scope.wire.dialect)
  const settings = readSettings(fields, body, check, isForm(request))
  const emails = await readEmails(fields, body, database.kysely)
  const vault = createVault(directory.key)
  const webhooks = readWebhooks(fields, body, { known: webhooksOf(receivers), vault })
  const thresholds = await readThresholds(check, { fields, scope, services: await services.list() })
  fields.finish()
  request.reportIgnored(fields.names.filter((name) => !isKnownName(name, check)))
  await database.transaction(async (transaction) => {
    await updateCheck(transaction, check.id, settings)
    for (const [id, threshold] of thresholds) await updateThreshold(transaction, id, threshold)
    if (emails !== undefined) await replaceReceivers(transaction, check.id, ['user', 'address'], emails)
    if (webhooks !== undefined) await replaceReceivers(transaction, check.id, ['webhook'], webhooks.receivers)
    const at = clock.now().toISOString()
    if (!settings.isActive)
      await dropDeliveries(transaction, check.id, { why: 'the check was switched off', at })
  })
  const changed = await getKnown(request, scope)
  reply.header('etag', etagOf(settingsOf(changed)))
  return envelope({
    ...toWireCheck(changed.check, scope.wire, 'names'),
    ...(webhooks === undefined ? {} : { webhook_secrets: webhooks.secrets }),
  })
}

async function readThresholds(
  check: Check,
  needs: {
    fields: ReturnType<typeof bodyFields>
    scope: MonitoringScope
    services: readonly ServiceRecord[]
  },
): Promise<Map<number, Threshold | undefined>> {
  const read = new Map<number, Threshold | undefined>()
  for (const one of check.definitions) read.set(one.id, await readThreshold(needs, one))
  return read
}

/** JSON's null for a threshold, or a part of its scope, is what an empty text is in a form; elsewhere it is absent. */
function withoutNulls(body: unknown, check: Check): Record<string, unknown> {
  if (body != null && (typeof body !== 'object' || Array.isArray(body)))
    throw new FieldFailure({ __all__: ['The body must be a form or a JSON object.'] })
  const known = Object.entries(body ?? {}).filter(
    ([name, value]) => value !== null || isFieldName(name, check),
  )
  return Object.fromEntries(known.map(([name, value]) => [name, value ?? '']))
}

function isKnownName(name: string, check: Check): boolean {
  return settingNames.includes(name) || isFieldName(name, check)
}

function isFieldName(name: string, { definitions }: Check): boolean {
  const parts = ['', '.service', '.resource', '.label', '.ows_service']
  return definitions.some((one) => parts.some((part) => name === fieldName(one) + part))
}
