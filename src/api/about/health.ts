import { Type } from 'typebox'
import type { Catalog } from '../../catalog/index.ts'
import type { FreeSpace } from '../../core/files/free-space.ts'
import type { Importer } from '../../importer/index.ts'
import type { Monitoring } from '../../monitoring/index.ts'
import { endpoint, operation } from '../endpoint.ts'

const MonitoringHealth = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('degraded'), Type.Literal('off')]),
  problems: Type.Array(Type.String()),
})
const Loads = Type.Object({
  running: Type.Integer(),
  queued: Type.Integer(),
  ended: Type.Integer({ description: 'Loads and jobs that were ended from outside since the start' }),
})
const Health = Type.Object(
  {
    status: Type.Literal('ok'),
    version: Type.String(),
    node: Type.String(),
    loads: Loads,
    monitoring: MonitoringHealth,
    disk: Type.Union([Type.Object({ freeBytes: Type.Integer(), totalBytes: Type.Integer() }), Type.Null()], {
      description: 'Of the data directory; null where it does not answer',
    }),
    versions: Type.Object(
      {
        days: Type.Integer(),
        bytes: Type.Integer(),
        kept: Type.Union([Type.Object({ contents: Type.Integer(), bytes: Type.Integer() }), Type.Null()], {
          description: 'What is kept now, in all stores; null where the catalogue does not answer',
        }),
      },
      { description: 'How long, and how much for each store, is kept of what layers were; 0 days: nothing' },
    ),
    lastCollectionSeconds: Type.Union([Type.Number(), Type.Null()], {
      description: 'Since monitoring last collected; null before the first time, and where it is off',
    }),
  },
  { title: 'Health' },
)

interface HealthDeps {
  version: string
  importer: Pick<Importer, 'workload'>
  /** Absent where it is off. */
  monitoring: Pick<Monitoring, 'health' | 'collectionAge'> | undefined
  /** Free space of the data directory. */
  space: FreeSpace
  /** Limits and size of the stored layer versions. */
  versions: Pick<Catalog['versions'], 'limits' | 'cost'>
}

const showHealth = operation({
  summary: 'Whether the server is up',
  description:
    'For load balancers and watchdogs: 200 while the server answers, with its version, running loads, free space and the state of monitoring.',
  tags: ['server'],
  answers: { 200: Health },
  handle: async ({ version, importer, monitoring, space, versions }: HealthDeps) => ({
    status: 'ok',
    version,
    node: process.versions.node,
    loads: importer.workload(),
    monitoring: monitoring?.health() ?? { status: 'off', problems: [] },
    disk: (await space.read()) ?? null,
    versions: { ...versions.limits, kept: (await versions.cost()) ?? null },
    lastCollectionSeconds: monitoring?.collectionAge() ?? null,
  }),
})

export const healthEndpoints = [endpoint('GET', '/health', 'public', 'unrecorded', { showHealth })]
