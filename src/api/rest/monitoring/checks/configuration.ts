import { Type } from 'typebox'
import { type Configuration, editedPart, receiverLines } from '../../../../monitoring/index.ts'
import type { FastifyRequest } from '../../../app-types.ts'
import { operation } from '../../../endpoint.ts'
import { etagOf, requireMatch } from '../../../etag.ts'
import { clientSignal, isForm } from '../../../request-properties.ts'
import { IdParams } from '../bodies.ts'
import { envelope } from '../envelope.ts'
import { pathId, queryFields } from '../parameters.ts'
import {
  bodyTypes,
  ChangeBody,
  CheckReply,
  ConfigurationReply,
  DeletedReply,
  DeliveriesReply,
  OlderConfigurationReply,
  TestReply,
} from './bodies.ts'
import { renderForm } from './form.ts'
import type { CheckDeps } from './notifications.ts'
import { toChangedCheck, toCheckResponse, toDeliveryResponse, toFieldResponse } from './responses.ts'

const tags = ['monitoring']
const params = IdParams

export const showCheck = operation({
  summary: 'Configuration of a check',
  description: 'Fields, thresholds, receivers and grace period of one check.',
  tags,
  params,
  answers: { 200: ConfigurationReply },
  olderAnswers: { 200: OlderConfigurationReply },
  handle: async ({ notifications, wire }: CheckDeps, request, reply) => {
    const known = await notifications.checks.get(checkId(request.params))
    const { check, fields } = known
    const lines = receiverLines(known)
    reply.header('etag', etagOf(editedPart(known))).header('cache-control', 'no-cache')
    return envelope({
      fields: fields.map((one) => toFieldResponse(check, one, wire)),
      form: renderForm({ check, lines, fields, wire, csrfToken: request.csrfToken }),
      notification: toCheckResponse(check, wire, 'names'),
      ...lines,
    })
  },
})

export const changeCheck = operation({
  summary: 'Change the thresholds and receivers of a check',
  description: 'Changes thresholds, receivers, severity or grace period of a check. Needs the role `admin`.',
  tags,
  takesForms: true,
  idempotent: true,
  keepsNulls: true,
  consumes: bodyTypes,
  params,
  body: ChangeBody,
  answers: { 200: CheckReply },
  handle: async ({ notifications, wire }: CheckDeps, request, reply) => {
    const changed = await notifications.checks.change(checkId(request.params), request.body, {
      isForm: isForm(request),
      accept: acceptMatching(request),
    })
    request.reportIgnored(changed.ignored)
    reply.header('etag', etagOf(editedPart(changed)))
    return envelope(toChangedCheck(changed, wire))
  },
})

export const deleteCheck = operation({
  summary: 'Delete a check',
  description: 'Deletes the check with its receivers and deliveries. Needs the role `admin`.',
  tags,
  params,
  answers: { 200: DeletedReply },
  handle: async ({ notifications }: CheckDeps, request) => {
    await notifications.checks.remove(checkId(request.params), acceptMatching(request))
    return envelope([])
  },
})

export const listDeliveries = operation({
  summary: 'List the messages of a check, newest first',
  description: 'Time, receiver, state and error of each sent or pending message of the check.',
  tags,
  params,
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 100,
        description: 'Maximum number of entries, the newest; default 100',
      }),
    ),
  }),
  answers: { 200: DeliveriesReply },
  handle: async ({ notifications, wire }: CheckDeps, request) => {
    const fields = queryFields(request, wire.dialect)
    const limit = fields.integer('limit', { min: 1, max: 1000 }) ?? 100
    fields.finish()
    const deliveries = await notifications.checks.deliveries(checkId(request.params), limit)
    return envelope({ deliveries: deliveries.map((one) => toDeliveryResponse(one, wire)) })
  },
})

export const testCheck = operation({
  summary: 'Send a test message to each receiver of a check',
  description: 'Sends a message marked as a test, and returns for each receiver if it was accepted.',
  tags,
  params,
  answers: { 200: TestReply },
  handle: async ({ notifications }: CheckDeps, request, reply) => {
    const results = await notifications.test(checkId(request.params), clientSignal(reply))
    return envelope({
      results: results.map(({ receiver, error }) => ({
        receiver,
        sent: error === undefined,
        error: error ?? null,
      })),
    })
  },
})

function checkId({ id }: { id: string }): number {
  return pathId(id, 'Notification check')
}

/** Refuses to change another state than that which `If-Match` names. */
function acceptMatching(request: FastifyRequest): (before: Configuration) => void {
  return (before) => requireMatch(request, editedPart(before))
}
