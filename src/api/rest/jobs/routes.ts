import { Type } from 'typebox'
import type { Jobs, StoredJob } from '../../../core/jobs/jobs.ts'
import { jobStates } from '../../../core/jobs/jobs.ts'
import { empty } from '../../description.ts'
import { endpoint, operation } from '../../endpoint.ts'

type JobDeps = Pick<Jobs, 'list' | 'retryFailed'>

const tags = ['server']
const defaultLimit = 100
const maxLimit = 1000
const stateSchema = (description: string) =>
  Type.Union(
    jobStates.map((state) => Type.Literal(state)),
    { description },
  )
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])

const Job = Type.Object(
  {
    id: Type.Integer(),
    kind: Type.String({ description: 'Such as `import.run`' }),
    state: stateSchema('A job that succeeds is not kept'),
    subject: Type.String({
      description: 'What it works on, such as `import 12`; empty for nothing in particular',
    }),
    attempts: Type.Integer({ description: 'Number of starts' }),
    error: orNull(Type.String({ description: 'Why the last attempt failed' })),
    errorCode: orNull(
      Type.String({
        description:
          'Code of the failure; `server-died` if servers ended during all attempts, null for an unexpected error',
      }),
    ),
    created: Type.String({ format: 'date-time' }),
    changed: Type.String({
      format: 'date-time',
      description: 'Time of the creation, of the last start, or of the failure',
    }),
    node: orNull(
      Type.Object(
        { id: Type.String(), host: Type.String(), pid: Type.Integer() },
        { description: 'Server that runs it or ran it last; null if it has not started' },
      ),
    ),
  },
  { title: 'Job' },
)

const listJobs = operation({
  summary: 'List background jobs',
  description:
    'Lists queued, running and failed jobs of all servers, the newest first. A job that succeeds is not kept; one whose last attempt failed is listed for 30 days. `next` is there if older jobs follow: give it as `before`. Needs the role `admin`.',
  tags,
  query: Type.Object({
    state: Type.Optional(stateSchema('Only jobs in this state')),
    before: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: '`next` of a response: jobs older than those of that response',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLimit, description: 'Default 100' })),
  }),
  answers: {
    200: Type.Object({
      jobs: Type.Array(Job),
      next: Type.Optional(Type.Integer({ description: 'Value of `before` for older jobs' })),
    }),
  },
  handle: async (jobs: JobDeps, { query: { state, before, limit = defaultLimit } }, reply) => {
    // One more tells whether older jobs follow.
    const found = await jobs.list({ state, beforeId: before, limit: limit + 1 })
    const listed = found.slice(0, limit)
    reply.header('cache-control', 'no-store')
    return { jobs: listed.map(toJobResponse), next: found.length > limit ? listed.at(-1)?.id : undefined }
  },
})

const retryJob = operation({
  summary: 'Repeat a failed job',
  description:
    'Starts the work of a failed job again. The run or inspection of an import starts as `POST /rest/imports/<id>` would; its old job is removed from the list. 409 `job-not-failed` for a job that is queued or running, 409 `job-not-repeatable` where the client must send its request again. Needs the role `admin`.',
  tags,
  params: Type.Object({ job: Type.Integer({ minimum: 1, description: 'Id of a job' }) }),
  answers: { 204: empty() },
  handle: async (jobs: JobDeps, { params }, reply) => {
    await jobs.retryFailed(params.job)
    return reply.code(204).send()
  },
})

/** Jobs of all servers. */
export const jobEndpoints = [
  endpoint('GET', '/rest/jobs', 'admin', 'view', { listJobs }),
  endpoint('POST', '/rest/jobs/:job/retry', 'admin', 'publish', { retryJob }),
]

function toJobResponse({ createdAt, changedAt, error, errorCode, node, ...job }: StoredJob) {
  return {
    ...job,
    error: error ?? null,
    errorCode: errorCode ?? null,
    created: createdAt,
    changed: changedAt,
    node: node ?? null,
  }
}
