import type { App } from '../app-types.ts'
import { envelope } from './envelope.ts'
import { StatusReply } from './notification-bodies.ts'
import { healthLevel, toWireCheck, toWireProblem } from './notification-wire.ts'
import type { MonitoringScope } from './scope.ts'

/** `GET /monitoring/api/status`: what does not hold, as of the last complete period. */
export function addStatusRoute(app: App, { context, wire }: MonitoringScope): void {
  app.get(
    '/monitoring/api/status',
    {
      config: { access: 'user' },
      schema: {
        tags: ['monitoring'],
        summary: 'Checks that do not hold now, with their problems',
        response: { 200: StatusReply },
      },
    },
    async (request) => {
      const found = await context.notifications.problems()
      if (wire.isOlder) {
        const problems = found.flatMap((one) =>
          one.problems.map((problem) => toWireProblem(one.check, problem, wire, request)),
        )
        return envelope({ problems, health_level: healthLevel(found) })
      }
      return envelope(
        found.map((one) => ({
          check: toWireCheck(one.check, wire, 'ids'),
          problems: one.problems.map((problem) => toWireProblem(one.check, problem, wire, request)),
        })),
      )
    },
  )
}
