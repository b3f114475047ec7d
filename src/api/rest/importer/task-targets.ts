import type { Catalog } from '../../../catalog/index.ts'
import { invalid, notFound } from '../../../core/errors/errors.ts'
import type { TaskRecord } from '../../../importer/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { answersChangeWithoutBody } from '../../compat/geoserver-importer.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireMatch, sendEntity } from '../../etag.ts'
import { TargetBody } from './bodies.ts'
import { requireTargetWorkspace } from './import-rights.ts'
import type { DialectDeps, ImporterApiDeps } from './importer-api-deps.ts'
import { TaskParams } from './parameters.ts'
import { TargetReply } from './schemas.ts'
import { requireTask } from './shown-imports.ts'
import { toTargetEntityResponse } from './target-response.ts'
import { readTargetBody } from './task-change.ts'

const tags = ['importer']

/** Data that nothing reads go nowhere. */
function requireFormat({ id, format }: TaskRecord): void {
  if (format === undefined) throw notFound('no-target', `Task ${id} has no target store: set "target" first`)
}

async function show(catalog: Catalog, request: FastifyRequest, task: TaskRecord): Promise<object> {
  const { target } = task
  const store = target === undefined ? undefined : await catalog.stores.find(target.workspace, target.name)
  return toTargetEntityResponse(request, task, store)
}

export const showTaskTarget = operation({
  summary: 'Show the target store of a task',
  description: 'The store that the task loads into.',
  tags,
  params: TaskParams,
  answers: { 200: TargetReply },
  handle: async ({ importer, catalog }: Pick<ImporterApiDeps, 'importer' | 'catalog'>, request, reply) =>
    sendEntity(request, reply, await show(catalog, request, await requireTask(importer, request.params))),
})

export const changeTaskTarget = operation({
  summary: "Change a task's target",
  description: 'Names another store of the workspace to load into.',
  tags,
  params: TaskParams,
  body: TargetBody,
  answers: { 200: TargetReply },
  olderAnswers: { 204: empty() },
  handle: async ({ importer, catalog, dialect }: DialectDeps & { catalog: Catalog }, request, reply) => {
    const task = await requireTask(importer, request.params)
    const change = readTargetBody(request.body, dialect)
    if (change.workspace !== undefined) await requireTargetWorkspace(request, change.workspace)
    const { dataStore, coverageStore, store } = request.body
    if ((dataStore ?? coverageStore ?? store) === undefined)
      throw invalid('invalid-body', 'A target needs "dataStore.name"')
    requireFormat(task)
    requireMatch(request, await show(catalog, request, task).catch(() => undefined))
    const changed = await importer.changeTask(task.importId, task.id, change)
    if (answersChangeWithoutBody(dialect)) return reply.code(204).send()
    return sendEntity(request, reply, await show(catalog, request, changed))
  },
})
