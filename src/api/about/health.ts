import { Type } from 'typebox'
import type { Catalog } from '../../catalog/index.ts'
import { Failure } from '../../core/errors/errors.ts'
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
  ended: Type.Integer({ description: 'Loads and jobs that the server ended by force since its start' }),
})
const Health = Type.Object(
  {
    status: Type.Literal('ok'),
    version: Type.String(),
    node: Type.String(),
    loads: Loads,
    monitoring: MonitoringHealth,
    disk: Type.Union([Type.Object({ freeBytes: Type.Integer(), totalBytes: Type.Integer() }), Type.Null()], {
      description: 'Disk of the data directory; null if it does not respond',
    }),
    versions: Type.Object(
      {
        days: Type.Integer(),
        bytes: Type.Integer(),
        kept: Type.Union([Type.Object({ contents: Type.Integer(), bytes: Type.Integer() }), Type.Null()], {
          description: 'Stored versions in all stores; null if the catalogue does not respond',
        }),
      },
      {
        description:
          'Limits for stored layer versions: days, and bytes per store. 0 days: no versions are kept',
      },
    ),
    lastCollectionSeconds: Type.Union([Type.Number(), Type.Null()], {
      description: 'Seconds since the last collection; null before the first one, and if monitoring is off',
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
  readiness: {
    /** Returns the reason why the server is not ready; undefined if it is. */
    findProblem(): Promise<string | undefined>
  }
}

const readyRetrySeconds = 2

const showHealth = operation({
  summary: 'Check that the server responds',
  description:
    'For load balancers and watchdogs: 200 while the server responds, with its version, running loads, free space and the state of monitoring.',
  tags: ['server'],
  ignoresCredentials: true,
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

const Alive = Type.Object({ status: Type.Literal('ok') }, { title: 'Alive' })
const Ready = Type.Object({ status: Type.Literal('ready') }, { title: 'Ready' })

const showAlive = operation({
  summary: 'Check that the process is alive',
  description:
    'For supervisors that restart a process: 200 while the process responds. It does not read the database, so a database outage does not restart the process.',
  tags: ['server'],
  ignoresCredentials: true,
  answers: { 200: Alive },
  handle: () => ({ status: 'ok' }),
})

const showReady = operation({
  summary: 'Check that the server accepts requests',
  description:
    'For load balancers: 200 if the catalogue responds, its tables match this version and the server is not stopping; otherwise 503 with code `server-not-ready` and the reason.',
  tags: ['server'],
  ignoresCredentials: true,
  answers: { 200: Ready },
  handle: async ({ readiness }: HealthDeps) => {
    const problem = await readiness.findProblem()
    if (problem === undefined) return { status: 'ready' }
    throw new Failure(
      'unavailable',
      'server-not-ready',
      `This server does not accept requests now: ${problem}`,
      { retryAfterSeconds: readyRetrySeconds },
    )
  },
})

export const healthEndpoints = [
  endpoint('GET', '/health', 'public', 'unrecorded', { showHealth }),
  endpoint('GET', '/health/live', 'public', 'unrecorded', { showAlive }),
  endpoint('GET', '/health/ready', 'public', 'unrecorded', { showReady }),
]
