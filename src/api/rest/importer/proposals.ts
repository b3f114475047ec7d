import { Type } from 'typebox'
import { type Importer, proposeGeometry, proposeLabels, type TaskRecord } from '../../../importer/index.ts'
import { operation } from '../../endpoint.ts'
import { clientSignal } from '../../request-properties.ts'
import { TaskParams } from './parameters.ts'
import { ProposalsReply } from './schemas.ts'
import { requireImport, requireTask } from './shown-imports.ts'

/** Time that a response to an edit waits for proposed keys. */
const patienceMs = 1000

export const listProposals = operation({
  summary: 'List proposals for a task',
  description:
    'Proposes how columns become a geometry, and key columns with which an UPSERT can match rows of the data and the target layer. Searches keys in all rows of both, unless this was done before. The task shows the result too.',
  tags: ['importer'],
  params: TaskParams,
  query: Type.Object({
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60,
        default: 10,
        description: 'Maximum number of seconds to wait for keys',
      }),
    ),
  }),
  answers: { 200: ProposalsReply },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const { params, query } = request
    const running = {
      record: await requireImport(importer, params.importId),
      task: await requireTask(importer, params),
    }
    const waitMs = (query.wait ?? 10) * 1000
    const keys = await importer.keys.propose(running, waitMs, clientSignal(reply))
    reply.header('cache-control', 'no-store')
    return {
      proposals: [...proposeGeometry(running.task), ...proposeLabels(running.task), ...(keys ?? [])],
      whole: keys !== undefined,
    }
  },
})

/** A task that was edited; where it lacks keys, with those that are soon found. */
export async function withFoundKeys(
  importer: Importer,
  task: TaskRecord,
  signal: AbortSignal,
): Promise<TaskRecord> {
  if (task.errorCode !== 'no-keys') return task
  const record = await importer.kept.get(task.importId)
  // Unreadable data are reported when the task runs.
  await importer.keys.propose({ record, task }, patienceMs, signal).catch(() => undefined)
  return importer.kept.getTask(task.importId, task.id)
}
