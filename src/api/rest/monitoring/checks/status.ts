import { operation } from '../../../endpoint.ts'
import { envelope } from '../envelope.ts'
import { OlderStatusReply, StatusReply } from './bodies.ts'
import type { CheckDeps } from './notifications.ts'
import { healthLevel, toCheckResponse, toProblemResponse } from './responses.ts'

/** Problems as of the last complete period. */
export const showStatus = operation({
  summary: 'Checks that currently report problems',
  description: 'The worst severity, and the checks with problems with their measured values.',
  tags: ['monitoring'],
  answers: { 200: StatusReply },
  olderAnswers: { 200: OlderStatusReply },
  handle: async ({ notifications, wire }: CheckDeps, request) => {
    const found = await notifications.problems()
    if (wire.hasHealthLevel) {
      const problems = found.flatMap((one) =>
        one.problems.map((problem) => toProblemResponse(one.check, problem, wire, request)),
      )
      return envelope({ problems, health_level: healthLevel(found) })
    }
    return envelope(
      found.map((one) => ({
        check: toCheckResponse(one.check, wire, 'ids'),
        problems: one.problems.map((problem) => toProblemResponse(one.check, problem, wire, request)),
      })),
    )
  },
})
