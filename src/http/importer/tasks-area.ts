import { findStore } from '../../catalog/stores.ts'
import { resolveStyle } from '../../catalog/styles.ts'
import type { TaskRecord } from '../../importer/model/model.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { acceptedFormats, sendStyleDocument } from '../catalog/style-documents.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import { ExpandQuery, ImportParams, LayerBody, TargetBody, TaskBody, TaskParams } from './bodies.ts'
import { parseExpand } from './expand.ts'
import { fromWireTarget, fromWireTask } from './from-wire.ts'
import type { ImporterScope } from './scope.ts'
import { findImportOf, findTaskOf, staff, statusOf, tags } from './scope.ts'
import { withDetails, withGranules } from './shown-tasks.ts'
import { reportUnknownParameters } from './transforms-area.ts'
import { toWireProgress, toWireTargetEntity, toWireTask } from './wire.ts'
import { taskPath, toWireTaskData } from './wire-data.ts'
import { fromWireLayer, requireLayer, toWireLayer } from './wire-layer.ts'
import { toWireTransform } from './wire-transforms.ts'

const base = '/rest/imports/:importId/tasks'
/** Only digits are a task id in a PUT; anything else is the name of an uploaded file. */
const numbered = `${base}/:taskId(^\\d+$)`

/** `/rest/imports/<importId>/tasks` and a task itself. */
export function addTaskRoutes(app: App, scope: ImporterScope): void {
  const { importer } = scope
  const { dialect } = scope.context.settings.server
  const show = (request: FastifyRequest, task: TaskRecord) => ({
    task: toWireTask(request, task, 1, dialect),
  })

  app.get(
    base,
    {
      config: staff,
      schema: { tags, summary: 'Tasks of an import', params: ImportParams, querystring: ExpandQuery },
    },
    async (request) => {
      const record = await findImportOf(scope, request.params.importId)
      const tasks = await scope.importer.kept.listTasks(record.id)
      const level = parseExpand(request.query.expand, 0)
      const shown =
        level < 2 ? tasks : await withDetails(scope.importer.kept, scope.context.database.kysely, tasks)
      return { tasks: shown.map((task) => toWireTask(request, task, level, dialect)) }
    },
  )

  app.get(
    `${base}/:taskId`,
    { config: staff, schema: { tags, summary: 'One task', params: TaskParams, querystring: ExpandQuery } },
    async (request, reply) => {
      const task = await findTaskOf(scope, request.params)
      const level = parseExpand(request.query.expand, 1)
      const [shown = task] =
        level < 2 ? [] : await withDetails(scope.importer.kept, scope.context.database.kysely, [task])
      return sendEntity(request, reply, { task: toWireTask(request, shown, level, dialect) })
    },
  )

  app.put(
    numbered,
    { config: staff, schema: { tags, summary: 'Change a task', params: TaskParams, body: TaskBody } },
    async (request, reply) => {
      const task = await findTaskOf(scope, request.params)
      const change = fromWireTask(task, request.body, dialect)
      const changed = await importer.changeTask(task.importId, task.id, change, (current) =>
        requireMatch(request, show(request, current)),
      )
      const path = `${'task' in request.body ? 'task.' : ''}transformChain.transforms.`
      for (const [index, spec] of (change.transforms ?? []).entries())
        reportUnknownParameters(request, spec, toWireTransform(request, changed, index, dialect), path)
      return dialect === 'geoserver'
        ? reply.code(204).send()
        : sendEntity(request, reply, show(request, changed))
    },
  )

  app.delete(
    `${base}/:taskId`,
    { config: staff, schema: { tags, summary: 'Delete a task', params: TaskParams } },
    async (request, reply) => {
      const task = await findTaskOf(scope, request.params)
      await importer.removeTask(task.importId, task.id, (current) =>
        requireMatch(request, show(request, current)),
      )
      return reply.code(statusOf(scope, 200, 204)).send()
    },
  )

  app.delete(
    `${base}/:taskId/run`,
    { config: staff, schema: { tags, summary: 'Cancel the run of a task', params: TaskParams } },
    async (request, reply) => {
      const task = await findTaskOf(scope, request.params)
      await importer.cancelTask(task.importId, task.id)
      return reply.code(204).send()
    },
  )

  app.get(
    `${base}/:taskId/progress`,
    { config: staff, schema: { tags, summary: 'How far a task is', params: TaskParams } },
    async (request) => {
      const task = await findTaskOf(scope, request.params)
      return toWireProgress(task, importer.progress.progressOf(task.importId, task.id))
    },
  )
}

/** A task's data and files. */
export function addTaskDataRoutes(app: App, scope: ImporterScope): void {
  app.get(
    `${base}/:taskId/data`,
    {
      config: staff,
      schema: { tags, summary: "A task's data", params: TaskParams, querystring: ExpandQuery },
    },
    async (request) => {
      const task = await findTaskOf(scope, request.params)
      const level = parseExpand(request.query.expand, 1)
      const [shown = task] = level < 1 ? [] : await withGranules(scope.importer.kept, [task])
      return toWireTaskData(request, shown, level)
    },
  )
}

/** Data that nothing reads go nowhere. */
function requireFormat({ id, format }: TaskRecord): void {
  if (format === undefined)
    throw notFound('no-target', `Task ${id} has no target store: nothing reads its data`)
}

async function showTarget(scope: ImporterScope, request: FastifyRequest, task: TaskRecord): Promise<object> {
  const { target } = task
  const store =
    target === undefined
      ? undefined
      : await findStore(scope.context.database.kysely, target.workspace, target.name)
  return toWireTargetEntity(request, task, store)
}

async function sendStyle(
  scope: ImporterScope,
  request: FastifyRequest,
  reply: FastifyReply,
  task: TaskRecord,
) {
  const layer = requireLayer(task)
  const { workspace } = await findImportOf(scope, String(task.importId))
  const style =
    layer.ownStyle === undefined
      ? await resolveStyle(scope.context.database.kysely, workspace, layer.style)
      : {
          name: layer.style,
          format: layer.ownStyle.format,
          document: await scope.importer.readOwnStyle(layer.ownStyle),
        }
  if (style === undefined) throw notFound('unknown-style', `Style "${layer.style}" does not exist`)
  reply.header('vary', 'accept')
  const wanted = acceptedFormats(request.headers.accept)
  if (wanted.length > 0) return sendStyleDocument(reply, style, wanted)
  const href = request.link(`${taskPath(task.importId, task.id)}/layer/style`)
  return sendEntity(request, reply, { style: { name: style.name, href, format: style.format } })
}

/** A task's layer, style and target. */
export function addLayerRoutes(app: App, scope: ImporterScope): void {
  const { importer } = scope
  const { dialect } = scope.context.settings.server
  const show = (request: FastifyRequest, task: TaskRecord) => ({ layer: toWireLayer(request, task) })

  app.get(
    `${base}/:taskId/layer`,
    { config: staff, schema: { tags, summary: "A task's layer", params: TaskParams } },
    async (request, reply) =>
      sendEntity(request, reply, show(request, await findTaskOf(scope, request.params))),
  )

  app.put(
    `${base}/:taskId/layer`,
    {
      config: staff,
      schema: { tags, summary: "Change a task's layer", params: TaskParams, body: LayerBody },
    },
    async (request, reply) => {
      const task = await findTaskOf(scope, request.params)
      const layer = fromWireLayer(task, request.body.layer)
      const change = Object.keys(layer).length === 0 ? {} : { layer }
      const changed = await importer.changeTask(task.importId, task.id, change, (current) =>
        requireMatch(request, show(request, current)),
      )
      reply.code(statusOf(scope, 200, 202))
      return sendEntity(request, reply, show(request, changed))
    },
  )

  app.get(
    `${base}/:taskId/layer/style`,
    { config: staff, schema: { tags, summary: "The style of a task's layer", params: TaskParams } },
    async (request, reply) => sendStyle(scope, request, reply, await findTaskOf(scope, request.params)),
  )

  app.get(
    `${base}/:taskId/target`,
    { config: staff, schema: { tags, summary: "A task's target store", params: TaskParams } },
    async (request, reply) =>
      sendEntity(request, reply, await showTarget(scope, request, await findTaskOf(scope, request.params))),
  )

  app.put(
    `${base}/:taskId/target`,
    {
      config: staff,
      schema: { tags, summary: "Change a task's target", params: TaskParams, body: TargetBody },
    },
    async (request, reply) => {
      const task = await findTaskOf(scope, request.params)
      const change = fromWireTarget(request.body, dialect)
      const { dataStore, coverageStore, store } = request.body
      if ((dataStore ?? coverageStore ?? store) === undefined)
        throw invalid('invalid-body', 'A target needs "dataStore.name"')
      requireFormat(task)
      requireMatch(request, await showTarget(scope, request, task).catch(() => undefined))
      const changed = await importer.changeTask(task.importId, task.id, change)
      if (dialect === 'geoserver') return reply.code(204).send()
      return sendEntity(request, reply, await showTarget(scope, request, changed))
    },
  )
}
