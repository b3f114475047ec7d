import type { GranuleRecord, TaskRecord } from '../../importer/model/model.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import type { App, FastifyRequest } from '../app-types.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import { FileParams, GranuleBody, ImportParams, TaskFileParams, TaskParams } from './bodies.ts'
import type { ImporterScope } from './scope.ts'
import { findImportOf, findTaskOf, staff, statusOf, tags } from './scope.ts'
import { findFile, withGranules } from './shown-tasks.ts'
import type { ListedFile } from './wire-data.ts'
import { importPath, listMainFiles, taskPath, toWireFile, toWireFileItem } from './wire-data.ts'
import { fromWireTimestamp } from './wire-granules.ts'

/** An import or a task, whose data have files. */
interface Owner {
  path: string
  tasks: TaskRecord[]
}

interface Place<Params> {
  base: string
  params: typeof ImportParams | typeof TaskParams
  fileParams: typeof FileParams | typeof TaskFileParams
  find(params: Params): Promise<Owner>
}

function granuleCheck(request: FastifyRequest, path: string) {
  return (task: TaskRecord, granule: GranuleRecord): void =>
    requireMatch(request, toWireFile(request, path, { task, granule, file: granule.file }))
}

function addressOf({ importId, taskId, fileId }: GranuleRecord) {
  return { importId, taskId, fileId }
}

function addRoutes<Params>(app: App, scope: ImporterScope, place: Place<Params>): void {
  const { importer } = scope
  const { base, params, fileParams } = place

  async function fileOf(given: unknown): Promise<{ path: string; listed: ListedFile }> {
    const { fileId } = given as { fileId: string }
    const { path, tasks } = await place.find(given as Params)
    const listed = await findFile(importer.kept, tasks, fileId)
    if (listed === undefined) throw notFound('unknown-file', `No such file: ${fileId}`)
    return { path, listed }
  }

  app.get(
    `${base}/data/files`,
    { config: staff, schema: { tags, summary: 'Main files of the data', params } },
    async (request) => {
      const { path, tasks } = await place.find(request.params as Params)
      const files = listMainFiles(await withGranules(importer.kept, tasks))
      return { files: files.map((listed) => toWireFileItem(request, path, listed)) }
    },
  )

  app.get(
    `${base}/data/files/:fileId`,
    { config: staff, schema: { tags, summary: 'One file of the data', params: fileParams } },
    async (request, reply) => {
      const { path, listed } = await fileOf(request.params)
      return sendEntity(request, reply, toWireFile(request, path, listed))
    },
  )

  app.put(
    `${base}/data/files/:fileId`,
    {
      config: staff,
      schema: { tags, summary: 'Give a granule its time', params: fileParams, body: GranuleBody },
    },
    async (request, reply) => {
      const { path, listed } = await fileOf(request.params)
      if (listed.granule === undefined) {
        throw invalid('no-granule', `"${listed.file.path}" is no granule of a mosaic and has no timestamp`)
      }
      const timeMs = fromWireTimestamp(request.body.timestamp)
      const { task, granule } = await importer.setGranuleTime(
        addressOf(listed.granule),
        timeMs,
        granuleCheck(request, path),
      )
      return sendEntity(request, reply, toWireFile(request, path, { task, granule, file: granule.file }))
    },
  )

  app.delete(
    `${base}/data/files/:fileId`,
    { config: staff, schema: { tags, summary: 'Take a file out of the data', params: fileParams } },
    async (request, reply) => {
      const { path, listed } = await fileOf(request.params)
      const { granule, task, file } = listed
      if (granule !== undefined) {
        await importer.removeGranule(addressOf(granule), granuleCheck(request, path))
      } else {
        requireMatch(request, toWireFile(request, path, listed))
        await importer.deleteFile(task.importId, file.path)
      }
      return reply.code(statusOf(scope, 200, 204)).send()
    },
  )
}

/** The files of an import's data and of a task's. */
export function addFileRoutes(app: App, scope: ImporterScope): void {
  addRoutes<{ importId: string }>(app, scope, {
    base: '/rest/imports/:importId',
    params: ImportParams,
    fileParams: FileParams,
    find: async ({ importId }) => {
      const record = await findImportOf(scope, importId)
      if (record.source === undefined) throw notFound('no-data', `Import ${record.id} has no data of its own`)
      const tasks = await scope.importer.kept.listTasks(record.id)
      return { path: importPath(record.id), tasks }
    },
  })
  addRoutes<{ importId: string; taskId: string }>(app, scope, {
    base: '/rest/imports/:importId/tasks/:taskId',
    params: TaskParams,
    fileParams: TaskFileParams,
    find: async (params) => {
      const task = await findTaskOf(scope, params)
      return { path: taskPath(task.importId, task.id), tasks: [task] }
    },
  })
}
