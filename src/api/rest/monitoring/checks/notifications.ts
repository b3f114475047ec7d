import type { Notifications } from '../../../../monitoring/index.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'
import { operation } from '../../../endpoint.ts'
import { envelope } from '../envelope.ts'
import { bodyTypes, CheckReply, CreationBody, NotificationsReply, OlderNotificationsReply } from './bodies.ts'
import { healthLevel, toChangedCheck, toListedCheck, toProblemResponse } from './responses.ts'

const tags = ['monitoring']

/** Dependencies of the handlers for checks. */
export interface CheckDeps {
  notifications: Pick<Notifications, 'checks' | 'problems' | 'notices' | 'test'>
  wire: MonitoringNames
}

export const listNotifications = operation({
  summary: 'Show problems and checks',
  description: 'Each check with its state and severity.',
  tags,
  answers: { 200: NotificationsReply },
  olderAnswers: { 200: OlderNotificationsReply },
  handle: async ({ notifications, wire }: CheckDeps, request) => {
    const checks = (await notifications.checks.list()).map((check) => toListedCheck(check, wire, request))
    if (wire.listsChecksAlone) return envelope(checks)
    const found = await notifications.problems()
    return envelope({
      problems: found.flatMap(({ check, problems }) =>
        problems.map((problem) => toProblemResponse(check, problem, wire, request)),
      ),
      health_level: healthLevel(found),
      notifications: checks,
      notices: notifications.notices(),
    })
  },
})

export const createCheck = operation({
  summary: 'Create a check',
  description:
    'A check compares a metric with thresholds and notifies its receivers by mail or webhook. Needs the role `admin`.',
  tags,
  idempotent: true,
  takesForms: true,
  consumes: bodyTypes,
  body: CreationBody,
  answers: { 200: CheckReply },
  handle: async ({ notifications, wire }: CheckDeps, { body }) =>
    envelope(toChangedCheck(await notifications.checks.create(body), wire)),
})
