import { Type } from 'typebox'
import type { Area } from './app-types.ts'

const Monitoring = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('degraded'), Type.Literal('off')]),
  problems: Type.Array(Type.String()),
})
const Health = Type.Object({
  status: Type.Literal('ok'),
  version: Type.String(),
  node: Type.String(),
  monitoring: Monitoring,
})

export const healthArea: Area = (app, { version, monitoring }) => {
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
      monitoring: monitoring?.health() ?? { status: 'off', problems: [] },
    }),
  )
}
