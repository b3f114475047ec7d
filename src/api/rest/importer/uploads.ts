import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { Failure, invalid } from '../../../core/errors/errors.ts'
import type { Importer, TaskRecord } from '../../../importer/index.ts'
import { isLocalLocation, parseLocation, resolveInRoots } from '../../../inputs/index.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { Bytes } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { checkLength, createByteLimit } from '../../receive-file.ts'
import { clientSignal } from '../../request-properties.ts'
import type { ImporterApiDeps } from './importer-api-deps.ts'
import { ExpandQuery, ImportParams, importPath, parseExpand, taskPath, UploadParams } from './parameters.ts'
import { receive, safeUploadName, writeFile, writeParts } from './receive-upload.ts'
import { UploadReply } from './schemas.ts'
import { requireImport, withDetails } from './shown-imports.ts'
import { namesUploads, takeUploads, uploadsIn } from './take-uploads.ts'
import { toTaskResponse } from './task-response.ts'

const tags = ['importer']

async function sendTasks(
  deps: ImporterApiDeps,
  request: FastifyRequest<{ Params: { importId: string }; Querystring: { expand?: string } }>,
  reply: FastifyReply,
  made: TaskRecord[],
): Promise<FastifyReply> {
  const { dialect } = deps
  const level = parseExpand(request.query.expand, 1)
  const tasks = level < 2 ? made : await withDetails(deps, made)
  const [task] = tasks
  reply.code(201)
  if (task !== undefined && tasks.length === 1) {
    return reply
      .header('location', request.link(taskPath(task.importId, task.id)))
      .send({ task: toTaskResponse(request, task, level, dialect) })
  }
  const { importId } = request.params
  return reply
    .header('location', request.link(`${importPath(Number(importId))}/tasks`))
    .send({ tasks: tasks.map((one) => toTaskResponse(request, one, level, dialect)) })
}

async function addUrl(
  importer: Importer,
  importRoots: readonly string[],
  importId: number,
  form: string,
  signal: AbortSignal,
): Promise<TaskRecord[]> {
  const url = new URLSearchParams(form).get('url')
  if (url === null || url === '') throw invalid('no-url', 'The form needs the parameter "url"')
  if (!isLocalLocation(url)) {
    parseLocation(url)
    return receive(importer, importId, signal, async (folder) => {
      await importer.fetchUpload(importId, url, folder, signal)
      return {}
    })
  }
  const path = await resolveInRoots(url, importRoots)
  return importer.addPath(importId, path, signal)
}

const Form = Type.Object({
  file: Type.Optional(Type.Array(Bytes, { description: 'Files, in multipart/form-data' })),
  charset: Type.Optional(Type.String({ description: 'Text encoding of the files, in multipart/form-data' })),
  url: Type.Optional(Type.String({ description: 'URL of the data, in application/x-www-form-urlencoded' })),
  uploads: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Ids of resumable uploads, in application/json: their files are one upload',
    }),
  ),
})

export const uploadFiles = operation({
  summary: 'Upload files, or give a URL or resumable uploads; each dataset becomes a task',
  description:
    'A form with files, in the folders that their names give; files of one base name are one dataset, and an archive is unpacked. The answer is the new task, or a list of several.',
  tags,
  idempotent: true,
  consumes: ['multipart/form-data', 'application/x-www-form-urlencoded', 'application/json'],
  params: ImportParams,
  query: ExpandQuery,
  reported: { body: Form },
  bodyLimit: ({ maxUploadBytes }: { maxUploadBytes: number }) => maxUploadBytes,
  answers: { 201: UploadReply },
  handle: async (deps: ImporterApiDeps, request, reply) => {
    checkLength(request, deps.maxUploadBytes)
    const { id, workspace } = await requireImport(deps.importer, request.params.importId)
    await deps.catalog.quotas.require(workspace, { bytes: Number(request.headers['content-length'] ?? 0) })
    const signal = clientSignal(reply)
    const { body }: { body?: unknown } = request
    if (typeof body === 'string') {
      return sendTasks(deps, request, reply, await addUrl(deps.importer, deps.importRoots, id, body, signal))
    }
    if (namesUploads(body))
      return sendTasks(
        deps,
        request,
        reply,
        await takeUploads(deps.importer, request, id, uploadsIn(body), {
          signal,
          checkSize: (bytes) => deps.catalog.quotas.require(workspace, { bytes }),
        }),
      )
    if (!request.isMultipart()) {
      throw new Failure(
        'mediaType',
        'unsupported-media-type',
        'An upload is multipart/form-data, a form with "url", or JSON with "uploads"',
      )
    }
    const tasks = await receive(deps.importer, id, signal, (folder) =>
      writeParts(deps.maxUploadBytes, request, folder, signal),
    )
    return sendTasks(deps, request, reply, tasks)
  },
})

export const uploadFile = operation({
  summary: 'Upload one file',
  description:
    'The body is the content of one file, whose name is the last part of the path. The answer is its task.',
  tags,
  idempotent: true,
  consumes: ['application/octet-stream'],
  params: UploadParams,
  query: ExpandQuery,
  reported: { body: Bytes },
  bodyLimit: ({ maxUploadBytes }: { maxUploadBytes: number }) => maxUploadBytes,
  answers: { 201: UploadReply },
  handle: async (deps: ImporterApiDeps, request, reply) => {
    checkLength(request, deps.maxUploadBytes)
    const { id, workspace } = await requireImport(deps.importer, request.params.importId)
    await deps.catalog.quotas.require(workspace, { bytes: Number(request.headers['content-length'] ?? 0) })
    const name = safeUploadName(request.params.fileName)
    const signal = clientSignal(reply)
    const body = request.body as Readable | undefined
    if (body === undefined) throw invalid('no-file', 'The upload has no body')
    const limit = createByteLimit(deps.maxUploadBytes)
    const tasks = await receive(deps.importer, id, signal, async (folder) => {
      await writeFile(body, folder, name, limit(), signal)
      return {}
    })
    return sendTasks(deps, request, reply, tasks)
  },
})
