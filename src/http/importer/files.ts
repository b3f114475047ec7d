import type { GranuleRecord, TaskRecord } from '../../importer/model/model.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import type { ListedFile } from './data-wire.ts'
import { listMainFiles, toWireFile, toWireFileItem } from './data-wire.ts'
import { fromWireTimestamp } from './granule-wire.ts'
import type { ImporterAreaParts } from './importer-area-parts.ts'
import { statusOf } from './importer-area-parts.ts'
import { findFile, withGranules } from './shown-imports.ts'

/** An import or a task, whose data have files. */
export interface FileOwner {
  path: string
  tasks: TaskRecord[]
}

async function fileOf(
  parts: ImporterAreaParts,
  { tasks }: FileOwner,
  { fileId }: { fileId: string },
): Promise<ListedFile> {
  const listed = await findFile(parts, tasks, fileId)
  if (listed === undefined) throw notFound('unknown-file', `No such file: ${fileId}`)
  return listed
}

function granuleCheck(request: FastifyRequest, path: string) {
  return (task: TaskRecord, granule: GranuleRecord): void =>
    requireMatch(request, toWireFile(request, path, { task, granule, file: granule.file }))
}

function addressOf({ importId, taskId, fileId }: GranuleRecord) {
  return { importId, taskId, fileId }
}

export async function listFiles(
  parts: ImporterAreaParts,
  request: FastifyRequest,
  { path, tasks }: FileOwner,
): Promise<object> {
  const files = listMainFiles(await withGranules(parts, tasks))
  return { files: files.map((listed) => toWireFileItem(request, path, listed)) }
}

type AboutFile<Body = unknown> = FastifyRequest<{ Params: { fileId: string }; Body: Body }>

export async function sendFileEntity(
  parts: ImporterAreaParts,
  request: AboutFile,
  reply: FastifyReply,
  owner: FileOwner,
): Promise<FastifyReply> {
  const listed = await fileOf(parts, owner, request.params)
  return sendEntity(request, reply, toWireFile(request, owner.path, listed))
}

/** Gives a granule its time. */
export async function changeFile(
  parts: ImporterAreaParts,
  request: AboutFile<{ timestamp?: string }>,
  reply: FastifyReply,
  owner: FileOwner,
): Promise<FastifyReply> {
  const listed = await fileOf(parts, owner, request.params)
  if (listed.granule === undefined) {
    throw invalid('no-granule', `"${listed.file.path}" is no granule of a mosaic and has no timestamp`)
  }
  const { path } = owner
  const { task, granule } = await parts.importer.setGranuleTime(
    addressOf(listed.granule),
    fromWireTimestamp(request.body.timestamp),
    granuleCheck(request, path),
  )
  return sendEntity(request, reply, toWireFile(request, path, { task, granule, file: granule.file }))
}

export async function removeFile(
  parts: ImporterAreaParts,
  request: AboutFile,
  reply: FastifyReply,
  owner: FileOwner,
): Promise<FastifyReply> {
  const listed = await fileOf(parts, owner, request.params)
  const { granule, task, file } = listed
  if (granule !== undefined) {
    await parts.importer.removeGranule(addressOf(granule), granuleCheck(request, owner.path))
  } else {
    requireMatch(request, toWireFile(request, owner.path, listed))
    await parts.importer.deleteFile(task.importId, file.path)
  }
  return reply.code(statusOf(parts, 200, 204)).send()
}
