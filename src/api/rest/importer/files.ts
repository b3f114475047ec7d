import { invalid, notFound } from '../../../core/errors/errors.ts'
import type { GranuleRecord, Importer, TaskRecord } from '../../../importer/index.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { statusOf } from '../../compat/geoserver-importer.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireMatch, sendEntity } from '../../etag.ts'
import { GranuleBody } from './bodies.ts'
import { listMainFiles, toFileItemResponse, toFileResponse } from './data-response.ts'
import { readTimestampBody } from './granule-response.ts'
import type { DialectDeps } from './importer-api-deps.ts'
import { FileParams, ImportParams, importPath, TaskFileParams, TaskParams, taskPath } from './parameters.ts'
import { FileList, FileReply } from './schemas.ts'
import { findFile, requireImport, requireTask, withGranules } from './shown-imports.ts'

/** Address of an import, or of one of its tasks. */
interface OwnerParams {
  importId: string
  taskId?: string
}

type FileRequest<Body = unknown> = FastifyRequest<{ Params: OwnerParams & { fileId: string }; Body: Body }>

/** An import or a task, whose data have files. */
interface FileOwner {
  path: string
  tasks: TaskRecord[]
}

async function findOwner(importer: Importer, { importId, taskId }: OwnerParams): Promise<FileOwner> {
  if (taskId !== undefined) {
    const task = await requireTask(importer, { importId, taskId })
    return { path: taskPath(task.importId, task.id), tasks: [task] }
  }
  const record = await requireImport(importer, importId)
  if (record.source === undefined)
    throw notFound('no-data', `Import ${record.id} has no data: its tasks have`)
  return { path: importPath(record.id), tasks: await importer.kept.listTasks(record.id) }
}

async function getFile(importer: Importer, params: OwnerParams & { fileId: string }) {
  const { path, tasks } = await findOwner(importer, params)
  const listed = await findFile(importer, tasks, params.fileId)
  if (listed === undefined) throw notFound('unknown-file', `No such file: ${params.fileId}`)
  return { path, listed }
}

function granuleCheck(request: FastifyRequest, path: string) {
  return (task: TaskRecord, granule: GranuleRecord): void =>
    requireMatch(request, toFileResponse(request, path, { task, granule, file: granule.file }))
}

function addressOf({ importId, taskId, fileId }: GranuleRecord) {
  return { importId, taskId, fileId }
}

const tags = ['importer']

const list = {
  summary: 'List the main files of the data',
  tags,
  answers: { 200: FileList },
  handle: async ({ importer }: { importer: Importer }, request: FastifyRequest<{ Params: OwnerParams }>) => {
    const { path, tasks } = await findOwner(importer, request.params)
    const files = listMainFiles(await withGranules(importer, tasks))
    return { files: files.map((listed) => toFileItemResponse(request, path, listed)) }
  },
}

const show = {
  summary: 'Show one file of the data',
  description: 'Format, companion files and, of a granule, the time of one file.',
  tags,
  answers: { 200: FileReply },
  handle: async ({ importer }: { importer: Importer }, request: FileRequest, reply: FastifyReply) => {
    const { path, listed } = await getFile(importer, request.params)
    return sendEntity(request, reply, toFileResponse(request, path, listed))
  },
}

const change = {
  summary: 'Set the time of a granule',
  description: 'Sets the time of a granule instead of the time in its name.',
  tags,
  body: GranuleBody,
  answers: { 200: FileReply },
  handle: async (
    { importer }: { importer: Importer },
    request: FileRequest<{ timestamp?: string }>,
    reply: FastifyReply,
  ) => {
    const { path, listed } = await getFile(importer, request.params)
    if (listed.granule === undefined) {
      throw invalid('no-granule', `"${listed.file.path}" is not a granule of a mosaic and has no timestamp`)
    }
    const { task, granule } = await importer.setGranuleTime(
      addressOf(listed.granule),
      readTimestampBody(request.body.timestamp),
      granuleCheck(request, path),
    )
    return sendEntity(request, reply, toFileResponse(request, path, { task, granule, file: granule.file }))
  },
}

const remove = {
  summary: 'Remove a file from the data',
  description: 'The file and those that belong to it are no longer imported.',
  tags,
  answers: { 200: empty() },
  olderAnswers: { 204: empty() },
  handle: async ({ importer, dialect }: DialectDeps, request: FileRequest, reply: FastifyReply) => {
    const { path, listed } = await getFile(importer, request.params)
    const { granule, task, file } = listed
    if (granule !== undefined) {
      await importer.removeGranule(addressOf(granule), granuleCheck(request, path))
    } else {
      requireMatch(request, toFileResponse(request, path, listed))
      await importer.deleteFile(task.importId, file.path)
    }
    return reply.code(statusOf({ dialect }, 200, 204)).send()
  },
}

export const listImportFiles = operation({
  ...list,
  description: 'The files that datasets consist of, without those that belong to another one.',
  params: ImportParams,
})
export const showImportFile = operation({ ...show, params: FileParams })
export const changeImportFile = operation({ ...change, params: FileParams })
export const deleteImportFile = operation({ ...remove, params: FileParams })

export const listTaskFiles = operation({
  ...list,
  description: 'The files that the dataset of a task consists of.',
  params: TaskParams,
})
export const showTaskFile = operation({ ...show, params: TaskFileParams })
export const changeTaskFile = operation({ ...change, params: TaskFileParams })
export const deleteTaskFile = operation({ ...remove, params: TaskFileParams })
