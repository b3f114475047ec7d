import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { FastifyReply, FastifyRequest } from '../../src/api/app-types.ts'
import type { MediaAnswer } from '../../src/api/description.ts'
import { unknownKeys } from '../../src/api/server/ignored.ts'
import { describeErrors } from '../../src/api/server/validation.ts'
import { afterEachFile } from './test-file-hooks.ts'

/** Longer responses are not checked: shorter ones contain the same kinds of values. */
const maxBytes = 2 ** 22

const differences = new Set<string>()
const validators = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/**
 * Compares each response of a server in this process with the description of its operation, and reports at
 * the end.
 */
subscribe('tracing:fastify.request.handler:start', (message) => {
  const { request, reply } = message as { request: FastifyRequest; reply: FastifyReply }
  watch(request, reply)
})

afterEachFile(() => {
  const found = [...differences]
  differences.clear()
  assert.deepEqual(found, [], 'answers differ from their descriptions')
})

function watch(request: FastifyRequest, reply: FastifyReply): void {
  if (request.method === 'HEAD' || request.routeOptions.config?.operation === undefined) return
  const chunks: Buffer[] = []
  let size = 0
  const keep = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    const text = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, text) : Buffer.from(chunk)
    size += bytes.length
    if (size <= maxBytes) chunks.push(bytes)
  }
  const { raw } = reply
  const { write, end } = raw
  let isEnding = false
  raw.write = (...all: unknown[]) => {
    // `end` of an injected response calls `write`.
    if (!isEnding) keep(all[0], all[1])
    return Reflect.apply(write, raw, all) as boolean
  }
  raw.end = (...all: unknown[]) => {
    keep(all[0], all[1])
    isEnding = true
    return Reflect.apply(end, raw, all) as typeof raw
  }
  raw.once('finish', () => {
    if (size > maxBytes) return
    for (const one of differencesOf(request, reply, Buffer.concat(chunks)))
      differences.add(
        `${request.routeOptions.config.operation?.id} (${request.method} ${request.url}): ${one}`,
      )
  })
}

function differencesOf(request: FastifyRequest, reply: FastifyReply, sent: Buffer): string[] {
  try {
    return findDifferences(request, reply, sent)
  } catch (error) {
    return [String(error)]
  }
}

function findDifferences(request: FastifyRequest, reply: FastifyReply, sent: Buffer): string[] {
  const { operation } = request.routeOptions.config
  const { statusCode: status } = reply
  if (operation === undefined || status < 200 || status > 299) return []
  const isOlder = request.server.dialect === 'geoserver'
  const answers = (isOlder ? operation.olderAnswers : undefined) ?? operation.answers
  const answer = answers[status] ?? (status === 206 ? answers[200] : undefined)
  if (answer === undefined) return [`the status ${status} is not described`]
  const mediaType = String(reply.getHeader('content-type') ?? '').split(';', 1)[0] ?? ''
  const schema = schemaOf(answer, mediaType)
  if (schema === undefined) return sent.length === 0 ? [] : [`the media type ${mediaType} is not described`]
  if (schema.type === 'null') return sent.length === 0 ? [] : ['it has a body, and none is described']
  if (!/\bjson$/.test(mediaType)) return []
  if (sent.length === 0) return ['it has no body, and one is described']
  return compare(schema, JSON.parse(inflate(sent, reply).toString('utf8')))
}

function schemaOf(
  answer: TSchema | MediaAnswer,
  mediaType: string,
): (TSchema & { type?: string }) | undefined {
  if (!('content' in answer)) return answer
  const { content } = answer as MediaAnswer
  return content[mediaType]?.schema
}

function inflate(sent: Buffer, reply: FastifyReply): Buffer {
  const encoding = reply.getHeader('content-encoding')
  if (encoding === 'gzip') return gunzipSync(sent)
  return encoding === 'br' ? brotliDecompressSync(sent) : sent
}

/** Returns the errors of a value by its schema, and the keys that the schema does not know. */
function compare(schema: TSchema, value: unknown): string[] {
  const validator = validators.get(schema) ?? Compile(schema)
  validators.set(schema, validator)
  const wrong = validator.Check(value) ? [] : describeErrors(validator.Errors(value), value)
  return [...wrong, ...unknownKeys(schema, value).map((key) => `"${key}" is not described`)]
}
