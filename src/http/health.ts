import { Type } from 'typebox'
import type { Area } from './app-types.ts'

const Monitoring = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('degraded'), Type.Literal('off')]),
  problems: Type.Array(Type.String()),
})
const Loads = Type.Object({
  running: Type.Integer(),
  queued: Type.Integer(),
  ended: Type.Integer({ description: 'Loads and jobs that were ended from outside since the start' }),
})
const Health = Type.Object({
  status: Type.Literal('ok'),
  version: Type.String(),
  node: Type.String(),
  loads: Loads,
  monitoring: Monitoring,
})

export const healthArea: Area = (app, { version, importer, monitoring }) => {
  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: { tags: ['server'], summary: 'Whether the server is up', response: { 200: Health } },
    },
    () => ({
      status: 'ok',
      version,
      node: process.versions.node,
      loads: importer.workload(),
      monitoring: monitoring?.health() ?? { status: 'off', problems: [] },
    }),
  )
}
