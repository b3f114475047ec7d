import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { Failure, FieldFailure, invalid } from '../../lib/errors.ts'
import { findFullDisk } from '../../lib/files/full-disk.ts'
import { DumpError } from '../../monitoring/geonode-migration/errors.ts'
import type { LoadReport } from '../../monitoring/geonode-migration/load-report.ts'
import type { MoveIn } from '../../monitoring/geonode-migration/migration.ts'
import type { DumpLoadProgress } from '../../monitoring/geonode-migration/migration-data.ts'
import type { FastifyRequest } from '../app-types.ts'
import { clientSignal } from '../client-signal.ts'
import { operation } from '../endpoint.ts'
import { checkLength, createByteLimit, receiveFile } from '../receive-file.ts'
import { envelopeReply } from './bodies.ts'
import { envelope } from './envelope.ts'

const tags = ['monitoring']

const Report = Type.Object({
  digest: Type.String({ description: 'SHA-256 of the text of the dump' }),
  repeated: Type.Boolean({ description: 'The same dump was loaded before: nothing was changed' }),
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
  moveIn: Pick<MoveIn, 'load' | 'progress'>
  maxUploadBytes: number
}

export const showLoad = operation({
  summary: 'How far a load is',
  description: 'State, rows so far and errors of the load of a dump that is running or was the last.',
  tags,
  answers: { 200: envelopeReply(Progress) },
  handle: ({ moveIn }: LoadDumpDeps) => envelope(toProgressResponse(moveIn.progress())),
})

/** Takes over the dump of another system's monitoring, in JSON, also compressed by gzip. */
export const loadDump = operation({
  summary: 'Load the JSON dump of a GeoNode monitoring database; answers when it is loaded',
  description:
    'Reads metrics, requests, exceptions and checks of a GeoNode dump (JSON, gzip or not) into the series, once: a repeated load changes nothing. Needs the role `admin`.',
  tags,
  consumes: ['application/json', 'application/gzip'],
  body: Type.Unknown({ description: 'The dump, also compressed by gzip' }),
  bodyLimit: ({ maxUploadBytes }: LoadDumpDeps) => maxUploadBytes,
  answers: { 200: envelopeReply(Report) },
  handle: async ({ moveIn, maxUploadBytes }: LoadDumpDeps, request, reply) => {
    checkLength(request, maxUploadBytes)
    const body = bodyOf(request)
    const signal = clientSignal(reply)
    try {
      const report = await moveIn.load((file) => receive(body, file, { maxUploadBytes, signal }), signal)
      return envelope(toReportResponse(report))
    } catch (error) {
      throw error instanceof DumpError ? new FieldFailure({ file: [error.message] }) : error
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

function toProgressResponse(progress: DumpLoadProgress | undefined) {
  return { running: progress !== undefined, phase: progress?.phase ?? null, done: progress?.done ?? 0 }
}

function toReportResponse({ digest, isRepeated, loadedAt, models }: LoadReport) {
  return { digest, repeated: isRepeated, loaded_at: loadedAt, models }
}
