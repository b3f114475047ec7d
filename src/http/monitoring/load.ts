import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { findFullDisk } from '../../db/errors.ts'
import { Failure, FieldFailure, invalid } from '../../lib/errors.ts'
import { DumpError } from '../../monitoring/move-in/errors.ts'
import type { LoadReport } from '../../monitoring/move-in/load-report.ts'
import type { LoadProgress } from '../../monitoring/move-in/move-in-data.ts'
import type { App, FastifyRequest } from '../app-types.ts'
import { clientSignal } from '../importer/scope.ts'
import { checkLength, createByteLimit, receiveFile } from '../receive-file.ts'
import { envelopeReply } from './bodies.ts'
import { envelope } from './envelope.ts'
import type { MonitoringScope } from './scope.ts'

const path = '/monitoring/api/load'
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

/** `/monitoring/api/load`: takes over the dump of another system's monitoring, in JSON, also compressed by gzip. */
export async function addLoadRoutes(app: App, { context }: MonitoringScope): Promise<void> {
  const { moveIn, settings } = context
  const { maxUploadBytes } = settings.limits

  app.get(
    path,
    {
      config: { access: 'admin' },
      schema: { tags, summary: 'How far a load is', response: { 200: envelopeReply(Progress) } },
    },
    async () => envelope(toWireProgress(moveIn.progress())),
  )

  await app.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
    raw.post(
      path,
      {
        bodyLimit: maxUploadBytes,
        config: { access: 'admin' },
        schema: {
          tags,
          summary: 'Load the JSON dump of a GeoNode monitoring database; answers when it is loaded',
          consumes: ['application/json', 'application/gzip'],
          body: Type.Unknown({ description: 'The dump, also compressed by gzip' }),
          response: { 200: envelopeReply(Report) },
        },
      },
      async (request, reply) => {
        checkLength(request, maxUploadBytes)
        const { body } = request
        if (!(body instanceof Readable)) throw new FieldFailure({ file: ['The body must be the dump.'] })
        const signal = clientSignal(reply)
        try {
          const report = await moveIn.load((file) => receive(body, file, { maxUploadBytes, signal }), signal)
          return envelope(toWireReport(report))
        } catch (error) {
          throw error instanceof DumpError ? new FieldFailure({ file: [error.message] }) : error
        }
      },
    )
  })
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

function toWireProgress(progress: LoadProgress | undefined) {
  return { running: progress !== undefined, phase: progress?.phase ?? null, done: progress?.done ?? 0 }
}

function toWireReport({ digest, isRepeated, loadedAt, models }: LoadReport) {
  return { digest, repeated: isRepeated, loaded_at: loadedAt, models }
}
