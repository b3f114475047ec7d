import type { GranuleRecord, TaskRecord } from '../../importer/model/model.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { statusOf } from '../compat/geoserver-importer.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import type { ListedFile } from './data-response.ts'
import { listMainFiles, toFileItemResponse, toFileResponse } from './data-response.ts'
import { readTimestampBody } from './granule-response.ts'
import type { ImporterApiDeps } from './importer-api-deps.ts'
import { findFile, withGranules } from './shown-imports.ts'

/** An import or a task, whose data have files. */
export interface FileOwner {
  path: string
  tasks: TaskRecord[]
}

async function fileOf(
  deps: ImporterApiDeps,
  { tasks }: FileOwner,
  { fileId }: { fileId: string },
): Promise<ListedFile> {
  const listed = await findFile(deps, tasks, fileId)
  if (listed === undefined) throw notFound('unknown-file', `No such file: ${fileId}`)
  return listed
}

function granuleCheck(request: FastifyRequest, path: string) {
  return (task: TaskRecord, granule: GranuleRecord): void =>
    requireMatch(request, toFileResponse(request, path, { task, granule, file: granule.file }))
}

function addressOf({ importId, taskId, fileId }: GranuleRecord) {
  return { importId, taskId, fileId }
}

export async function listFiles(
  deps: ImporterApiDeps,
  request: FastifyRequest,
  { path, tasks }: FileOwner,
): Promise<object> {
  const files = listMainFiles(await withGranules(deps, tasks))
  return { files: files.map((listed) => toFileItemResponse(request, path, listed)) }
}

type AboutFile<Body = unknown> = FastifyRequest<{ Params: { fileId: string }; Body: Body }>

export async function sendFileEntity(
  deps: ImporterApiDeps,
  request: AboutFile,
  reply: FastifyReply,
  owner: FileOwner,
): Promise<FastifyReply> {
  const listed = await fileOf(deps, owner, request.params)
  return sendEntity(request, reply, toFileResponse(request, owner.path, listed))
}

/** Gives a granule its time. */
export async function changeFile(
  deps: ImporterApiDeps,
  request: AboutFile<{ timestamp?: string }>,
  reply: FastifyReply,
  owner: FileOwner,
): Promise<FastifyReply> {
  const listed = await fileOf(deps, owner, request.params)
  if (listed.granule === undefined) {
    throw invalid('no-granule', `"${listed.file.path}" is no granule of a mosaic and has no timestamp`)
  }
  const { path } = owner
  const { task, granule } = await deps.importer.setGranuleTime(
    addressOf(listed.granule),
    readTimestampBody(request.body.timestamp),
    granuleCheck(request, path),
  )
  return sendEntity(request, reply, toFileResponse(request, path, { task, granule, file: granule.file }))
}

export async function removeFile(
  deps: ImporterApiDeps,
  request: AboutFile,
  reply: FastifyReply,
  owner: FileOwner,
): Promise<FastifyReply> {
  const listed = await fileOf(deps, owner, request.params)
  const { granule, task, file } = listed
  if (granule !== undefined) {
    await deps.importer.removeGranule(addressOf(granule), granuleCheck(request, owner.path))
  } else {
    requireMatch(request, toFileResponse(request, owner.path, listed))
    await deps.importer.deleteFile(task.importId, file.path)
  }
  return reply.code(statusOf(deps, 200, 204)).send()
}
