import { Type } from 'typebox'
import { FreeSpace } from '../lib/free-space.ts'
import type { Monitoring } from '../monitoring/monitoring.ts'
import type { Area } from './app-types.ts'
import type { MonitoringLoad } from './metrics-export.ts'
import { MetricsExport } from './metrics-export.ts'

/** What this server does, for Prometheus; no database is asked. */
export const metricsArea: Area = (app, { events, version, importer, monitoring, directory }) => {
  const space = new FreeSpace(directory.root)
  const metrics = new MetricsExport({
    events,
    version,
    loads: () => importer.workload(),
    freeSpace: () => space.read(),
    ...(monitoring === undefined ? {} : { monitoringLoad: () => loadOf(monitoring) }),
  })
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

function loadOf(monitoring: Monitoring): MonitoringLoad {
  return {
    ...monitoring.load(),
    isDegraded: monitoring.health().status !== 'ok',
    collectionAge: monitoring.collectionAge(),
  }
}
