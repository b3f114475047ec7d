import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Transform } from 'node:stream'
import fastifyMultipart from '@fastify/multipart'
import type { TaskRecord } from '../../importer/model/model.ts'
import { Failure, invalid } from '../../lib/errors.ts'
import { findFullDisk } from '../../lib/files/full-disk.ts'
import { cleanEntryName, findNameFault, shownName } from '../../sources/entry-name.ts'
import { resolveInRoots } from '../../sources/path-guard.ts'
import { isLocalLocation, parseLocation } from '../../sources/remote/parse-location.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { clientSignal } from '../client-signal.ts'
import { checkLength, createByteLimit, receiveFile } from '../receive-file.ts'
import { ExpandQuery, ImportParams, UploadParams } from './bodies.ts'
import { parseExpand } from './expand.ts'
import { requireCharset } from './from-wire.ts'
import type { ImporterScope } from './scope.ts'
import { findImportOf, tags } from './scope.ts'
import { withDetails } from './shown-tasks.ts'
import { toWireTask } from './wire.ts'
import { importPath, taskPath } from './wire-data.ts'

const uploading = { access: 'staff', idempotent: true } as const
const maxParts = 10_000
const maxFields = 100
const maxFormBytes = 64 * 1024

/** The last part of a client's file name; a name that could leave the folder is refused. */
function safeFileName(name: string): string {
  const clean = cleanEntryName(name)
  const base = clean.slice(clean.lastIndexOf('/') + 1)
  const fault = base === '.' || base === '..' ? 'it leads out of its folder' : findNameFault(base)
  if (fault === undefined) return base
  throw invalid('invalid-file-name', `The file name "${shownName(name)}" cannot be used: ${fault}`)
}

/** Writes one file of an upload. */
async function writeFile(
  source: Readable,
  folder: string,
  name: string,
  limit: Transform,
  signal: AbortSignal,
) {
  try {
    await receiveFile(source, join(folder, name), { limit, signal })
  } catch (error) {
    if (error instanceof Failure) throw error
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw invalid('duplicate-file', `The upload has two files named "${name}"`)
    }
    throw (
      findFullDisk(error) ??
      invalid('upload-broken', `The upload broke off while "${shownName(name)}" was received`, {
        cause: error,
      })
    )
  }
}

async function sendTasks(
  scope: ImporterScope,
  request: FastifyRequest,
  reply: FastifyReply,
  made: TaskRecord[],
) {
  const { dialect } = scope.context.settings.server
  const level = parseExpand((request.query as { expand?: string }).expand, 1)
  const tasks = level < 2 ? made : await withDetails(scope.importer.kept, scope.context.database.kysely, made)
  const [task] = tasks
  reply.code(201)
  if (task !== undefined && tasks.length === 1) {
    return reply
      .header('location', request.link(taskPath(task.importId, task.id)))
      .send({ task: toWireTask(request, task, level, dialect) })
  }
  const { importId } = request.params as { importId: string }
  return reply
    .header('location', request.link(`${importPath(Number(importId))}/tasks`))
    .send({ tasks: tasks.map((one) => toWireTask(request, one, level, dialect)) })
}

/** The text of a form without files; one that is too long is thrown away as it comes. */
function readForm(_request: FastifyRequest, body: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxFormBytes) chunks.push(chunk)
      else reject(new Failure('tooLarge', 'body-too-large', `A form has at most ${maxFormBytes} bytes`))
    })
    body.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    body.once('error', reject)
  })
}

/** Receives into a folder of its own and makes tasks of it; whatever fails keeps nothing. */
async function receive(
  scope: ImporterScope,
  importId: number,
  signal: AbortSignal,
  write: (folder: string) => Promise<{ charset?: string }>,
): Promise<TaskRecord[]> {
  const { folder } = await scope.importer.openUpload(importId)
  try {
    const options = await write(folder)
    return await scope.importer.addUpload(importId, folder, { ...options, signal })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function writeParts(
  scope: ImporterScope,
  request: FastifyRequest,
  folder: string,
  signal: AbortSignal,
) {
  const { maxUploadBytes } = scope.context.settings.limits
  const limit = createByteLimit(maxUploadBytes)
  let fileCount = 0
  let charset: string | undefined
  const limits = {
    fileSize: maxUploadBytes,
    parts: maxParts + maxFields,
    files: maxParts,
    fields: maxFields,
    fieldSize: 10_000,
  }
  const parts = request.parts({ limits })
  try {
    // Left by hand: an iterator that is returned early would wait for a form that nobody reads any more.
    for (let step = await parts.next(); step.done !== true; step = await parts.next()) {
      const part = step.value
      if (part.type === 'file' && part.filename) {
        await writeFile(part.file, folder, safeFileName(part.filename), limit(), signal)
        fileCount += 1
      } else if (part.type === 'file') part.file.resume()
      else if (part.fieldname === 'charset') charset = requireCharset(String(part.value))
    }
  } catch (error) {
    request.raw.unpipe()
    request.raw.resume()
    throw error instanceof Failure ? error : brokenForm(error)
  }
  if (fileCount === 0) throw invalid('no-file', 'The upload has no file part')
  return charset === undefined ? {} : { charset }
}

function brokenForm(error: unknown): Failure {
  const { statusCode, message } = error as { statusCode?: number; message?: string }
  if (statusCode === 413) {
    const most = `A form has at most ${maxParts} files and ${maxFields} other fields: send an archive`
    return new Failure('tooLarge', 'upload-too-large', most, { cause: error })
  }
  return invalid('upload-broken', `The form cannot be read: ${message ?? 'it breaks off'}`, { cause: error })
}

async function addUrl(scope: ImporterScope, importId: number, form: string, signal: AbortSignal) {
  const url = new URLSearchParams(form).get('url')
  if (url === null || url === '') throw invalid('no-url', 'The form needs the parameter "url"')
  if (!isLocalLocation(url)) {
    parseLocation(url)
    return receive(scope, importId, signal, async (folder) => {
      await scope.importer.fetchUpload(importId, url, folder, signal)
      return {}
    })
  }
  const path = await resolveInRoots(url, scope.context.settings.data.importRoots)
  return scope.importer.addPath(importId, path, signal)
}

/** `POST /rest/imports/<importId>/tasks` with files or a `url`, and `PUT .../tasks/<fileName>` with a raw body. */
export async function addUploadRoutes(app: App, scope: ImporterScope): Promise<void> {
  const { maxUploadBytes } = scope.context.settings.limits

  await app.register(async (form) => {
    form.removeAllContentTypeParsers()
    await form.register(fastifyMultipart)
    form.addContentTypeParser('application/x-www-form-urlencoded', readForm)
    form.post<{ Params: { importId: string } }>(
      '/rest/imports/:importId/tasks',
      {
        bodyLimit: maxUploadBytes,
        config: uploading,
        schema: {
          tags,
          summary: 'Upload files, or name one by url; each dataset becomes a task',
          consumes: ['multipart/form-data', 'application/x-www-form-urlencoded'],
          params: ImportParams,
          querystring: ExpandQuery,
        },
      },
      async (request, reply) => {
        checkLength(request, maxUploadBytes)
        const { id } = await findImportOf(scope, request.params.importId)
        const signal = clientSignal(reply)
        if (typeof request.body === 'string') {
          return sendTasks(scope, request, reply, await addUrl(scope, id, request.body, signal))
        }
        if (!request.isMultipart()) {
          throw new Failure(
            'mediaType',
            'unsupported-media-type',
            'An upload is multipart/form-data, or a form with "url"',
          )
        }
        const tasks = await receive(scope, id, signal, (folder) => writeParts(scope, request, folder, signal))
        return sendTasks(scope, request, reply, tasks)
      },
    )
  })

  await app.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
    raw.put<{ Params: { importId: string; fileName: string } }>(
      '/rest/imports/:importId/tasks/:fileName',
      {
        bodyLimit: maxUploadBytes,
        config: uploading,
        schema: { tags, summary: 'Upload one file', params: UploadParams, querystring: ExpandQuery },
      },
      async (request, reply) => {
        checkLength(request, maxUploadBytes)
        const { id } = await findImportOf(scope, request.params.importId)
        const name = safeFileName(request.params.fileName)
        const signal = clientSignal(reply)
        const body = request.body as Readable | undefined
        if (body === undefined) throw invalid('no-file', 'The upload has no body')
        const limit = createByteLimit(maxUploadBytes)
        const tasks = await receive(scope, id, signal, async (folder) => {
          await writeFile(body, folder, name, limit(), signal)
          return {}
        })
        return sendTasks(scope, request, reply, tasks)
      },
    )
  })
}
