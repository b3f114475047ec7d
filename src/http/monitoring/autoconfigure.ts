import { baseUrl } from '../../config/base-url.ts'
import { autoconfigure } from '../../monitoring/services/autoconfigure.ts'
import type { App } from '../app-types.ts'
import { OkReply } from './bodies.ts'
import { okStatus } from './envelope.ts'
import type { MonitoringScope } from './scope.ts'

/** `POST /monitoring/api/autoconfigure`. */
export function addAutoconfigureRoute(app: App, { context }: MonitoringScope): void {
  const { services, database, settings } = context
  const { mapServers } = settings.monitoring
  app.post(
    '/monitoring/api/autoconfigure',
    {
      config: { access: 'staff', idempotent: true },
      schema: {
        tags: ['monitoring'],
        summary: 'Make the hosts and services of this server and of those in its settings, where they lack',
        response: { 200: OkReply },
      },
    },
    async () => {
      await database.alone(() => autoconfigure({ services, baseUrl: baseUrl(settings.server), mapServers }))
      return okStatus()
    },
  )
}
