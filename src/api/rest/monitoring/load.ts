import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { ImportProgress, ImportReport } from '../../../../packages/geonode-migration/index.ts'
import { Failure, FieldFailure, invalid } from '../../../core/errors/errors.ts'
import { findFullDisk } from '../../../core/files/full-disk.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { operation } from '../../endpoint.ts'
import { checkLength, createByteLimit, receiveFile } from '../../receive-file.ts'
import { clientSignal } from '../../request-properties.ts'
import { envelopeReply } from './bodies.ts'
import { envelope } from './envelope.ts'

const tags = ['monitoring']

const Report = Type.Object({
  digest: Type.String({ description: 'SHA-256 of the text of the dump' }),
  repeated: Type.Boolean({ description: 'The same dump was loaded before; nothing was changed' }),
  loaded_at: Type.String(),
  models: Type.Array(
    Type.Object({
      model: Type.String(),
      read: Type.Integer(),
      loaded: Type.Integer(),
      skipped: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() })),
    }),
  ),
})
const Progress = Type.Object({
  running: Type.Boolean(),
  phase: Type.Union([Type.String(), Type.Null()], {
    description: 'receiving, reading, translating, writing or publishing',
  }),
  done: Type.Integer({ description: 'Bytes of the dump, later rows' }),
})

export interface LoadDumpDeps {
  dumps: {
    /** Returns the progress of the running import; undefined if none is running. */
    progress(): ImportProgress | undefined
    /** Imports the dump that `receive` writes to the path. */
    load(receive: (path: string) => Promise<void>, signal: AbortSignal): Promise<ImportReport>
  }
  maxUploadBytes: number
}

export const showLoad = operation({
  summary: 'Show the progress of a load',
  description: 'State, rows and errors of the running or last load of a dump.',
  tags,
  answers: { 200: envelopeReply(Progress) },
  handle: ({ dumps }: LoadDumpDeps) => envelope(toProgressResponse(dumps.progress())),
})

/** Imports a dump of a GeoNode monitoring database. */
export const loadDump = operation({
  summary: 'Load the JSON dump of a GeoNode monitoring database; responds when it is loaded',
  description:
    'Loads metrics, requests, exceptions and checks of a GeoNode dump (JSON, optionally gzip) into the series. Loading the same dump again changes nothing. Needs the role `admin`.',
  tags,
  consumes: ['application/json', 'application/gzip'],
  body: Type.Unknown({ description: 'The dump, also compressed by gzip' }),
  bodyLimit: ({ maxUploadBytes }: LoadDumpDeps) => maxUploadBytes,
  answers: { 200: envelopeReply(Report) },
  handle: async ({ dumps, maxUploadBytes }: LoadDumpDeps, request, reply) => {
    checkLength(request, maxUploadBytes)
    const body = bodyOf(request)
    const signal = clientSignal(reply)
    try {
      const report = await dumps.load((file) => receive(body, file, { maxUploadBytes, signal }), signal)
      return envelope(toReportResponse(report))
    } catch (error) {
      const isBadDump = error instanceof Failure && error.code === 'bad-dump'
      throw isBadDump ? new FieldFailure({ file: [error.message] }) : error
    }
  },
})

function bodyOf({ body }: Pick<FastifyRequest, 'body'>): Readable {
  if (body instanceof Readable) return body
  throw new FieldFailure({ file: ['The body must be the dump.'] })
}

async function receive(
  body: Readable,
  file: string,
  { maxUploadBytes, signal }: { maxUploadBytes: number; signal: AbortSignal },
): Promise<void> {
  try {
    await receiveFile(body, file, { limit: createByteLimit(maxUploadBytes)(), signal })
  } catch (error) {
    if (error instanceof Failure) throw error
    throw findFullDisk(error) ?? invalid('upload-broken', 'The upload broke off', { cause: error })
  }
}

function toProgressResponse(progress: ImportProgress | undefined) {
  return { running: progress !== undefined, phase: progress?.phase ?? null, done: progress?.done ?? 0 }
}

function toReportResponse({ digest, isRepeated, importedAt, models }: ImportReport) {
  return { digest, repeated: isRepeated, loaded_at: importedAt, models }
}
