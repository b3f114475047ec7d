import { Type } from 'typebox'
import type { Area } from './app-types.ts'
import { MetricsExport } from './metrics-export.ts'

/** What this server does, for Prometheus; no database is asked. */
export const metricsArea: Area = (app, { events, version }) => {
  const metrics = new MetricsExport({ events, version })
  app.addHook('onClose', async () => metrics.close())
  app.get(
    '/metrics',
    {
      config: { access: 'user' },
      schema: {
        tags: ['server'],
        summary: 'Counters for Prometheus, in its text format',
        response: {
          200: { description: 'The text format', content: { 'text/plain': { schema: Type.String() } } },
        },
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  )
}
