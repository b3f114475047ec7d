import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { Readable } from 'node:stream'
import type { Static } from 'typebox'
import { Type } from 'typebox'
import { invalid } from '../../../core/errors/errors.ts'
import { ownValue } from '../../../core/values/record-keys.ts'
import { extensionsOfMediaType } from '../../../formats/index.ts'
import { formats } from '../../../formats/registry.ts'
import type { Importer, TaskRecord } from '../../../importer/index.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { Bytes, media } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireMatch } from '../../etag.ts'
import { checkLength, createByteLimit } from '../../receive-file.ts'
import { clientSignal } from '../../request-properties.ts'
import type { ImporterApiDeps } from './importer-api-deps.ts'
import { requireCharset, TaskParams } from './parameters.ts'
import { safeUploadName, writeFile, writeParts } from './receive-upload.ts'
import { RejectedRowsReply, TaskReply } from './schemas.ts'
import { requireTask } from './shown-imports.ts'
import { toTaskResponse } from './task-response.ts'

const tags = ['importer']

/** Media types of the files; others are undefined bytes. */
const fileTypes: Record<string, string> = {
  csv: 'text/csv',
  geojson: 'application/geo+json',
  json: 'application/geo+json',
  zip: 'application/zip',
  gpkg: 'application/geopackage+sqlite3',
}

/** Sends rejected rows as a file like their source. */
async function sendFile(importer: Importer, task: TaskRecord, reply: FastifyReply): Promise<FastifyReply> {
  const file = await importer.rejects.write(task, clientSignal(reply))
  const { path, sizeBytes, format, note } = file
  const stream = createReadStream(path)
  stream.once('close', () => void file.remove())
  const type = ownValue(fileTypes, extname(path).slice(1)) ?? 'application/octet-stream'
  const name = encodeURIComponent(basename(path))
  reply
    .header('content-type', type)
    .header('content-length', sizeBytes)
    .header('content-disposition', `attachment; filename*=UTF-8''${name}`)
    .header('cache-control', 'no-store')
    .header('terrane-format', encodeURI(format))
  if (note !== undefined) reply.header('terrane-format-note', encodeURI(note))
  return reply.send(stream)
}

async function* withFirst<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    if (first.done !== true) yield first.value
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** The rows that a load rejected. */
export const listRejects = operation({
  summary: 'Get the rejected rows, as GeoJSON, CSV or a file in the format of the source',
  description:
    'With `format=source`, a file in the format of the source, several files as a zip. Its first columns have the number of each row and the reason for its rejection: correct this file and submit it. If that format cannot be written, the file is GeoJSON, or CSV without geometry; `Terrane-Format-Note` gives the reason.',
  tags,
  params: TaskParams,
  query: Type.Object({
    f: Type.Optional(Type.String({ description: 'csv or geojson' })),
    format: Type.Optional(Type.String({ description: 'source, csv or geojson' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: 'GeoJSON only: number of rows' })),
  }),
  answers: {
    200: media('The rows, each with its reason', {
      'application/geo+json': RejectedRowsReply,
      'text/csv': Type.String(),
      'application/zip': Bytes,
      'application/geopackage+sqlite3': Bytes,
      'application/octet-stream': Bytes,
    }),
  },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const task = await requireTask(importer, request.params)
    const format = request.query.format ?? request.query.f ?? request.headers.accept ?? ''
    reply.header('vary', 'accept')
    if (format === 'source') return sendFile(importer, task, reply)
    const isTable = /csv/i.test(format)
    const { limit } = request.query
    const rows = importer.rejects.list(task, isTable ? 'csv' : 'geojson', clientSignal(reply), limit)
    // A refusal is sent before any row.
    const first = await rows.next()
    return reply
      .header('content-type', isTable ? 'text/csv; charset=utf-8' : 'application/geo+json')
      .send(Readable.from(withFirst(first, rows)))
  },
})

const SendQuery = Type.Object({
  async: Type.Optional(Type.Boolean({ description: 'Respond at once and load in the background' })),
  name: Type.Optional(Type.String({ description: 'Name of a file that is the whole body' })),
  charset: Type.Optional(Type.String({ description: 'Text encoding of the file' })),
  accept: Type.Optional(
    Type.String({ description: 'Rules of `stopIf` to ignore for these rows, separated by commas' }),
  ),
})

const SentRows = Type.Object({
  file: Type.Array(Bytes, {
    description: 'The corrected rows, in multipart/form-data; otherwise the whole body',
  }),
})

/**
 * Returns the name of a file that is the whole body: the given name, otherwise from its media type or the
 * format of the task's source.
 */
function bodyName(request: FastifyRequest, name: string | undefined, { format }: TaskRecord): string {
  if (name !== undefined) return safeUploadName(name)
  const [type = ''] = (request.headers['content-type'] ?? '').split(';')
  if (type.trim() === 'application/zip') return 'rows.zip'
  const [known] = extensionsOfMediaType(type.trim().toLowerCase())
  if (known !== undefined) return `rows.${known}`
  const own = formats.find((one) => one.name === format)
  const hasParts = own?.sidecars?.some(({ of }) => of === undefined) === true
  return hasParts ? 'rows.zip' : `rows.${own?.extensions[0] ?? 'csv'}`
}

async function writeRows(
  maxUploadBytes: number,
  request: FastifyRequest<{ Querystring: { name?: string } }>,
  task: TaskRecord,
  folder: string,
  signal: AbortSignal,
): Promise<{ charset?: string }> {
  if (request.isMultipart()) return writeParts(maxUploadBytes, request, folder, signal)
  const body = request.body as Readable | undefined
  if (body === undefined) throw invalid('no-file', 'The body must be a form with a file, or the file itself')
  const name = bodyName(request, request.query.name, task)
  await writeFile(body, folder, name, createByteLimit(maxUploadBytes)(), signal)
  return {}
}

async function send(
  deps: Pick<ImporterApiDeps, 'importer' | 'dialect' | 'maxUploadBytes'>,
  request: FastifyRequest<{ Querystring: Static<typeof SendQuery> }>,
  reply: FastifyReply,
  task: TaskRecord,
): Promise<void> {
  const { importer, dialect } = deps
  const place = { importId: task.importId, taskId: task.id }
  const check = (current: TaskRecord): void =>
    requireMatch(request, { task: toTaskResponse(request, current, 1, dialect) })
  const given = requireCharset(request.query.charset)
  const signal = clientSignal(reply)
  await importer.files.writing(place.importId, async () => {
    const { folder, upload } = await importer.openCorrections(place, check)
    try {
      const { charset = given } = await writeRows(deps.maxUploadBytes, request, task, folder, signal)
      const accepted = request.query.accept?.split(',').map((rule) => rule.trim())
      const sent = { folder, upload, by: request.caller.name ?? '', charset, accepted }
      await importer.submitCorrections(place, sent, { isAsync: request.query.async ?? false, signal, check })
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw error
    }
  })
}

/** Corrected rejected rows. */
export const sendRejects = operation({
  summary: 'Submit corrected rows of a complete task',
  description:
    'The file, in any supported format, has the columns of the task and the number of each row, like the file of rejected rows. Its rows pass the transformations of the task, are added to its layer in one commit and are no longer rejected. `mending` of the task reports the result.',
  tags,
  idempotent: true,
  consumes: ['multipart/form-data', 'application/octet-stream'],
  params: TaskParams,
  query: SendQuery,
  reported: { body: SentRows },
  bodyLimit: ({ maxUploadBytes }: { maxUploadBytes: number }) => maxUploadBytes,
  answers: { 200: TaskReply, 202: TaskReply },
  handle: async (deps: Pick<ImporterApiDeps, 'importer' | 'dialect' | 'maxUploadBytes'>, request, reply) => {
    checkLength(request, deps.maxUploadBytes)
    const task = await requireTask(deps.importer, request.params)
    await send(deps, request, reply, task)
    const after = await requireTask(deps.importer, request.params)
    const isAsync = request.query.async ?? false
    return reply.code(isAsync ? 202 : 200).send({ task: toTaskResponse(request, after, 1, deps.dialect) })
  },
})
