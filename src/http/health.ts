import { Type } from 'typebox'
import { FreeSpace } from '../lib/free-space.ts'
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
  disk: Type.Union([Type.Object({ freeBytes: Type.Integer(), totalBytes: Type.Integer() }), Type.Null()], {
    description: 'Of the data directory; null where it does not answer',
  }),
  lastCollectionSeconds: Type.Union([Type.Number(), Type.Null()], {
    description: 'Since monitoring last collected; null before the first time, and where it is off',
  }),
})

export const healthArea: Area = (app, { version, importer, monitoring, directory }) => {
  const space = new FreeSpace(directory.root)
  app.get(
    '/health',
    {
      config: { access: 'public' },
      schema: { tags: ['server'], summary: 'Whether the server is up', response: { 200: Health } },
    },
    async () => ({
      status: 'ok',
      version,
      node: process.versions.node,
      loads: importer.workload(),
      monitoring: monitoring?.health() ?? { status: 'off', problems: [] },
      disk: (await space.read()) ?? null,
      lastCollectionSeconds: monitoring?.collectionAge() ?? null,
    }),
  )
}
