import { isUniqueViolation } from '../../db/errors.ts'
import { FieldFailure } from '../../lib/errors.ts'
import { createVault } from '../../lib/vault.ts'
import type { NewCheck } from '../../monitoring/notify/records/check-repository.ts'
import {
  findCheck,
  insertCheck,
  isNameTaken,
  listChecks,
} from '../../monitoring/notify/records/check-repository.ts'
import { replaceReceivers } from '../../monitoring/notify/records/receiver-repository.ts'
import type { App, FastifyRequest } from '../app-types.ts'
import { envelope } from './envelope.ts'
import { CheckReply, NotificationsReply } from './notification-bodies.ts'
import { readEmails, readWebhooks } from './notification-receivers.ts'
import { readSettings } from './notification-settings.ts'
import { healthLevel, toListedCheck, toWireCheck, toWireProblem } from './notification-wire.ts'
import { bodyFields, describeFields } from './parameters.ts'
import type { MonitoringScope } from './scope.ts'
import { readUserThresholds } from './user-thresholds.ts'

const tags = ['monitoring']
const path = '/monitoring/api/notifications'
const defaults = { severity: 'error', isActive: true, graceSeconds: 600, windowSeconds: 60 } as const
const maxName = 255
const maxDescription = 4000

/** `/monitoring/api/notifications`. */
export function addNotificationRoutes(app: App, scope: MonitoringScope): void {
  app.get(
    path,
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Problems now, and the checks', response: { 200: NotificationsReply } },
    },
    async (request) => listNotifications(request, scope),
  )

  app.post(
    path,
    {
      config: { access: 'staff', idempotent: true, takesForms: true },
      schema: {
        tags,
        summary: 'Create a check',
        body: describeFields({
          name: 'Required',
          description: 'Required',
          severity: 'warning, error or fatal; default error',
          emails: 'Addresses, one a line',
          webhooks: 'Addresses, one a line, each with a blank and a secret behind it where one is wanted',
          active: 'Default true',
          grace_period: 'HH:MM:SS; default 00:10:00',
          window: 'HH:MM:SS that one value stands for; default 00:01:00',
          user_thresholds: 'JSON list of 10-element lists; required',
          user_threshold: 'The same',
        }),
        response: { 200: CheckReply },
      },
    },
    async (request) => createCheck(request, scope),
  )
}

async function listNotifications(request: FastifyRequest, { context, wire }: MonitoringScope) {
  const { database, notifications } = context
  const checks = (await listChecks(database.kysely)).map((check) => toListedCheck(check, wire, request))
  if (wire.isOlder) return envelope(checks)
  const found = await notifications.problems()
  return envelope({
    problems: found.flatMap(({ check, problems }) =>
      problems.map((problem) => toWireProblem(check, problem, wire, request)),
    ),
    health_level: healthLevel(found),
    notifications: checks,
    notices: notifications.hasMail ? [] : ['No mail is sent: TERRANE_SMTP_URL is not set'],
  })
}

async function createCheck(request: FastifyRequest, { context, wire }: MonitoringScope) {
  const { database, directory } = context
  const fields = bodyFields(request, wire.dialect)
  const body = (request.body ?? {}) as Record<string, unknown>
  const name = readTitle(fields.requiredText('name', { maxLength: maxName }), () =>
    fields.fail('name', 'Control characters are not allowed.'),
  )
  const description = fields.requiredText('description', { maxLength: maxDescription }).trim()
  if (name !== '' && (await isNameTaken(database.kysely, name)))
    fields.fail('name', 'Notification check with this name already exists.')
  const given = [body.user_thresholds, body.user_threshold].find((one) => one != null && one !== '')
  const { definitions, errors } =
    given === undefined ? { definitions: [], errors: ['This field is required.'] } : readUserThresholds(given)
  for (const message of errors) fields.fail('user_threshold', message)
  const settings = readSettings(fields, body, defaults, false)
  const emails = await readEmails(fields, body, database.kysely)
  const vault = createVault(directory.key)
  const webhooks = readWebhooks(fields, body, { known: [], vault })
  fields.finish()
  const check: NewCheck = { name, description, ...settings, definitions }
  const id = await database
    .transaction(async (transaction) => {
      const created = await insertCheck(transaction, check)
      const receivers = [...(emails ?? []), ...(webhooks?.receivers ?? [])]
      await replaceReceivers(transaction, created, ['user', 'address', 'webhook'], receivers)
      return created
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error)
        ? new FieldFailure({ name: ['Notification check with this name already exists.'] })
        : error
    })
  const created = await findCheck(database.kysely, id)
  if (created === undefined) throw new Error(`Check ${id} is gone`)
  return envelope({
    ...toWireCheck(created, wire, 'names'),
    ...(webhooks === undefined ? {} : { webhook_secrets: webhooks.secrets }),
  })
}

function readTitle(text: string, fail: () => void): string {
  if (/\p{Cc}/u.test(text)) fail()
  return text.trim()
}
