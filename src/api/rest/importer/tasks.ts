import { Type } from 'typebox'
import type { Dialect } from '../../../core/config/settings.ts'
import type { Importer, TaskRecord } from '../../../importer/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { answersChangeWithoutBody, statusOf } from '../../compat/geoserver-importer.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireMatch, sendEntity } from '../../etag.ts'
import { clientSignal } from '../../request-properties.ts'
import { AcceptBody, TaskBody } from './bodies.ts'
import { toTaskDataResponse } from './data-response.ts'
import { requireTargetWorkspace } from './import-rights.ts'
import type { DialectDeps, ImporterApiDeps } from './importer-api-deps.ts'
import { ExpandQuery, ImportParams, parseExpand, TaskParams } from './parameters.ts'
import { withFoundKeys } from './proposals.ts'
import { ProgressReply, TaskDataReply, TaskList, TaskReply } from './schemas.ts'
import { requireImport, requireTask, withDetails, withGranules } from './shown-imports.ts'
import { readTaskBody } from './task-change.ts'
import { toProgressResponse, toTaskResponse } from './task-response.ts'
import { reportUnknownParameters, toTransformResponse } from './transform-response.ts'

const tags = ['importer']

function show(request: FastifyRequest, task: TaskRecord, dialect: Dialect) {
  return { task: toTaskResponse(request, task, 1, dialect) }
}

export const listTasks = operation({
  summary: 'List the tasks of an import',
  description: 'State, data, target and layer of each task. `?expand` sets the level of detail.',
  tags,
  params: ImportParams,
  query: ExpandQuery,
  answers: { 200: TaskList },
  handle: async (deps: ImporterApiDeps, request) => {
    const record = await requireImport(deps.importer, request.params.importId)
    const tasks = await deps.importer.kept.listTasks(record.id)
    const level = parseExpand(request.query.expand, 0)
    const shown = level < 2 ? tasks : await withDetails(deps, tasks)
    return { tasks: shown.map((task) => toTaskResponse(request, task, level, deps.dialect)) }
  },
})

export const showTask = operation({
  summary: 'Show one task',
  description:
    'State, mode, data, target, layer, transformations and messages of a task. `ETag` names the state for a later `If-Match`.',
  tags,
  params: TaskParams,
  query: ExpandQuery,
  answers: { 200: TaskReply },
  handle: async (deps: ImporterApiDeps, request, reply) => {
    const task = await requireTask(deps.importer, request.params)
    const level = parseExpand(request.query.expand, 1)
    const [shown = task] = level < 2 ? [] : await withDetails(deps, [task])
    return sendEntity(request, reply, { task: toTaskResponse(request, shown, level, deps.dialect) })
  },
})

export const changeTask = operation({
  summary: 'Change a task',
  description:
    'Changes mode (`CREATE`, `REPLACE`, `APPEND`, `UPSERT`), keys, limits, target, layer or transformations before the task is run.',
  tags,
  params: TaskParams,
  body: TaskBody,
  answers: { 200: TaskReply },
  olderAnswers: { 204: empty() },
  handle: async ({ importer, dialect }: DialectDeps, request, reply) => {
    const task = await requireTask(importer, request.params)
    const change = readTaskBody(task, request.body, dialect)
    if (change.workspace !== undefined) await requireTargetWorkspace(request, change.workspace)
    const changed = await importer.changeTask(task.importId, task.id, change, (current) =>
      requireMatch(request, show(request, current, dialect)),
    )
    const path = `${'task' in request.body ? 'task.' : ''}transformChain.transforms.`
    for (const [index, spec] of (change.transforms ?? []).entries())
      reportUnknownParameters(request, spec, toTransformResponse(request, changed, index, dialect), path)
    return answersChangeWithoutBody(dialect)
      ? reply.code(204).send()
      : sendEntity(
          request,
          reply,
          show(request, await withFoundKeys(importer, changed, clientSignal(reply)), dialect),
        )
  },
})

export const deleteTask = operation({
  summary: 'Delete a task',
  description: 'Deletes the task with its uploads and staged rows. A layer that it created remains.',
  tags,
  params: TaskParams,
  answers: { 200: empty() },
  olderAnswers: { 204: empty() },
  handle: async ({ importer, dialect }: DialectDeps, request, reply) => {
    const task = await requireTask(importer, request.params)
    await importer.removeTask(task.importId, task.id, (current) =>
      requireMatch(request, show(request, current, dialect)),
    )
    return reply.code(statusOf({ dialect }, 200, 204)).send()
  },
})

export const cancelTask = operation({
  summary: 'Cancel the run of a task',
  description: 'Ends the running task and removes its uncommitted rows. The task becomes `CANCELED`.',
  tags,
  params: TaskParams,
  answers: { 204: empty() },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const task = await requireTask(importer, request.params)
    await importer.cancelTask(task.importId, task.id)
    return reply.code(204).send()
  },
})

export const showTaskProgress = operation({
  summary: 'Show the progress of a task',
  description: 'Phase, rows or bytes so far, their total, rejected rows, speed and remaining time.',
  tags,
  params: TaskParams,
  answers: { 200: ProgressReply },
  handle: async ({ importer }: { importer: Importer }, request) => {
    const task = await requireTask(importer, request.params)
    return toProgressResponse(task, importer.progress.progressOf(task.importId, task.id))
  },
})

export const showTaskData = operation({
  summary: 'Show the data of a task',
  description: 'Format, files and encoding of the data of a task.',
  tags,
  params: TaskParams,
  query: ExpandQuery,
  answers: { 200: TaskDataReply },
  handle: async ({ importer }: { importer: Importer }, request) => {
    const task = await requireTask(importer, request.params)
    const level = parseExpand(request.query.expand, 1)
    const [shown = task] = level < 1 ? [] : await withGranules(importer, [task])
    return toTaskDataResponse(request, shown, level)
  },
})

export const acceptStopped = operation({
  summary: 'Commit a load that `stopIf` has stopped',
  description:
    'Commits the staged rows if source and layer have not changed since. `accepted` records the user. If other rules still stop the load, the task does not change.',
  tags,
  params: TaskParams,
  query: Type.Object({
    async: Type.Optional(Type.Boolean({ description: 'Respond at once and continue in the background' })),
  }),
  body: AcceptBody,
  answers: { 200: TaskReply, 202: TaskReply },
  handle: async ({ importer, dialect }: DialectDeps, request, reply) => {
    const { importId, id: taskId } = await requireTask(importer, request.params)
    const isAsync = request.query.async ?? false
    const acceptance = { stopped: request.body.stopped, by: request.caller.name ?? '' }
    const options = { isAsync, signal: clientSignal(reply) }
    await importer.acceptStopped({ importId, taskId }, acceptance, options)
    const task = await requireTask(importer, request.params)
    return reply.code(isAsync ? 202 : 200).send(show(request, task, dialect))
  },
})
