import type { Readable } from 'node:stream'
import fastifyMultipart from '@fastify/multipart'
import { Failure, invalid } from '../../../core/errors/errors.ts'
import type { ApiArea, FastifyRequest } from '../../app-types.ts'
import { addEndpoints } from '../../endpoint.ts'
import { ImportBody } from './bodies.ts'
import type { ImporterApiDeps } from './importer-api-deps.ts'
import { OpenStreams } from './importer-api-deps.ts'
import { fileEndpoints, formEndpoints, formOrFileEndpoints, jsonEndpoints } from './routes.ts'

const maxFormBytes = 64 * 1024

/** `/rest/imports`, everything below it, and `/rest/database-imports`, as areas by body type. */
export function importerAreas(given: Omit<ImporterApiDeps, 'streams'>): ApiArea[] {
  const parts = { ...given, streams: new OpenStreams() }
  return [jsonArea(parts), formArea(parts), fileArea(parts), formOrFileArea(parts)]
}

function jsonArea(deps: ImporterApiDeps): ApiArea {
  return (app) => {
    app.addHook('preValidation', async (request) => {
      const isCreation = request.routeOptions.schema?.body === ImportBody
      if (isCreation && request.body === undefined) request.body = {}
    })
    app.addHook('preClose', async () => deps.streams.endAll())
    addEndpoints(app, jsonEndpoints, deps)
  }
}

function formArea(deps: ImporterApiDeps): ApiArea {
  return async (app) => {
    app.removeAllContentTypeParsers()
    await app.register(fastifyMultipart)
    app.addContentTypeParser('application/x-www-form-urlencoded', readForm)
    app.addContentTypeParser('application/json', readJson)
    addEndpoints(app, formEndpoints, deps)
  }
}

function fileArea(deps: ImporterApiDeps): ApiArea {
  return (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
    addEndpoints(app, fileEndpoints, deps)
  }
}

function formOrFileArea(deps: ImporterApiDeps): ApiArea {
  return async (app) => {
    app.removeAllContentTypeParsers()
    await app.register(fastifyMultipart)
    app.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
    addEndpoints(app, formOrFileEndpoints, deps)
  }
}

const maxJsonBytes = 5 * 2 ** 20

/** A list of uploads. */
async function readJson(request: FastifyRequest, body: Readable): Promise<unknown> {
  const text = await readText(request, body, maxJsonBytes)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalid('malformed-json', 'The body is not JSON', { cause })
  }
}

function readForm(request: FastifyRequest, body: Readable): Promise<string> {
  return readText(request, body, maxFormBytes)
}

/** Reads the text of a form without files; discards one that is too long as it arrives. */
function readText(_request: FastifyRequest, body: Readable, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else reject(new Failure('tooLarge', 'body-too-large', `A form has at most ${maxBytes} bytes`))
    })
    body.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    body.once('error', reject)
  })
}
