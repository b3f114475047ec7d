import { createHash } from 'node:crypto'
import fastifySwagger from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify'
import { fastify } from 'fastify'
import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import type { ServerSettings } from '../../core/config/settings.ts'
import { STATUS_CODES } from '../../core/network/node-http.ts'
import type { App } from '../app-types.ts'
import { hasOlderAnswers } from '../compat/dialect.ts'
import { type Answers, media, type NamedDescription } from '../description.ts'
import { entityTags } from '../etag.ts'
import { FailureReply } from '../rest/monitoring/bodies.ts'
import { isMonitoringPath } from '../rest/monitoring/envelope.ts'
import { addExamples } from './api-examples.ts'
import { nameSchemas } from './named-schemas.ts'
import { describeParameters } from './parameter-texts.ts'

const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String({ description: 'Stable code of the error' }),
    errors: Type.Array(Type.String()),
  },
  { title: 'Problem' },
)

const failure = {
  description: 'Problem document (RFC 9457)',
  content: { 'application/problem+json': { schema: Problem } },
}

const monitoringFailure = {
  description: 'Problems by field',
  content: { 'application/json': { schema: FailureReply } },
}

const pageContentPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"

/** The page itself; below it lie its files. */
export const referencePath = '/docs'

/** OpenAPI from the route schemas at `/openapi.json`, and a reference page at `/docs`. */
export async function describeApi(app: App, server: ServerSettings, version: string): Promise<void> {
  const { publicUrl, basePath } = server
  const base = publicUrl ?? basePath
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Terrane',
        version,
        description: 'Imports spatial data, publishes layers, and records their use.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: base === '' ? '/' : base }],
      components: {
        securitySchemes: {
          basic: { type: 'http', scheme: 'basic' },
          token: { type: 'http', scheme: 'bearer' },
        },
      },
    },
    transform: ({ schema, url, route }) => ({ schema: describeRoute(app, schema, url, route.config), url }),
    transformObject: (described) =>
      'openapiObject' in described ? addExamples(nameSchemas(described.openapiObject)) : {},
  })
  addReferencePage(app, new URL(base, 'http://localhost').pathname.replace(/\/$/, ''))
}

/** Returns the OpenAPI description of a route, from its operation. */
function describeRoute(
  app: App,
  schema: FastifySchema | undefined,
  url: string,
  config: FastifyContextConfig | undefined,
): FastifySchema {
  const { operation, access } = config ?? {}
  const failed = isMonitoringPath(url) ? monitoringFailure : failure
  const security: Record<string, string[]>[] = access === 'public' ? [] : [{ basic: [] }, { token: [] }]
  const described = operation === undefined ? schema : describeOperation(app, operation, schema, config)
  const answers = Object(described?.response)
  return { ...described, response: { ...answers, '4xx': failed, '5xx': failed }, security }
}

function describeOperation(
  app: App,
  operation: NamedDescription,
  schema: FastifySchema = {},
  { hasXml = false }: Pick<FastifyContextConfig, 'hasXml'> = {},
): FastifySchema {
  const { id, summary, tags, description, deprecated, reported, consumes } = operation
  const older = hasOlderAnswers(app.dialect) ? operation.olderAnswers : undefined
  return {
    ...schema,
    summary: summary ?? schema.summary,
    description: description ?? schema.description,
    deprecated: deprecated ?? schema.deprecated,
    querystring:
      describeParameters((reported?.query ?? schema.querystring) as TSchema | undefined) ??
      schema.querystring,
    params: describeParameters((reported?.params ?? schema.params) as TSchema | undefined) ?? schema.params,
    body: reported?.body ?? schema.body ?? schema.body,
    consumes: consumes?.slice() ?? (hasXml && schema.body ? [...documentTypes] : schema.consumes),
    operationId: id,
    tags,
    response: describeAnswers(older ?? operation.answers, hasXml),
  }
}

/** Returns the responses with a description of each status. */
function describeAnswers(answers: Answers, hasXml: boolean): object {
  const described = Object.entries(answers).map(([status, only]) => {
    const answer = hasXml ? withXml(only) : only
    const { description } = answer as { description?: string }
    return [status, { ...answer, 'x-response-description': description || STATUS_CODES[status] }] as const
  })
  return Object.fromEntries(described)
}

/** Media types of documents that exist as XML. */
const documentTypes = ['application/json', 'application/xml']

/** Adds XML to a response in JSON. */
function withXml(answer: Answers[number]): Answers[number] {
  const { content, type, description } = answer as { content?: object; type?: string; description?: string }
  if (content !== undefined || type === 'null') return answer
  const xml = Type.String({ description: 'The same document as XML' })
  return media(description ?? '', { 'application/json': answer as TSchema, 'application/xml': xml })
}

/** Headers that the server sets by itself, from what it sends. */
const connectionHeaders = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

interface WrittenDocument {
  text: string
  tag: string
}

/** The document is the same until the server ends, and longer than a megabyte. */
function writeDocument(app: App): WrittenDocument {
  const text = JSON.stringify(app.swagger())
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  return { text, tag: `"${digest}"` }
}

function addReferencePage(app: App, indexPrefix: string): void {
  let document: WrittenDocument | undefined
  app.get(
    '/openapi.json',
    { config: { access: 'public', countsAs: 'view_metadata' }, schema: { hide: true } },
    (request, reply) => {
      document ??= writeDocument(app)
      reply.headers({ etag: `W/${document.tag}`, 'cache-control': 'no-cache' })
      if (entityTags(request.headers['if-none-match']).includes(document.tag)) return reply.code(304).send()
      return reply.type('application/json; charset=utf-8').send(document.text)
    },
  )
  let page: Promise<FastifyInstance> | undefined
  for (const path of ['', '/', '/json', '/yaml', '/static/*']) {
    const url = referencePath + path
    const countsAs = url === referencePath ? 'view' : 'unrecorded'
    const options = { config: { access: 'public', countsAs }, schema: { hide: true } } as const
    app.get(url, options, async (request, reply) => {
      page ??= openReferencePage(app, indexPrefix).catch((error) => {
        page = undefined
        throw error
      })
      const server = await page
      const { statusCode, headers, rawPayload } = await server.inject({
        url: request.url,
        headers: request.headers as Record<string, string>,
      })
      if (statusCode === 404) return reply.callNotFound()
      for (const [name, value] of Object.entries(headers))
        if (value !== undefined && !connectionHeaders.has(name)) reply.header(name, value)
      return reply.code(statusCode).send(rawPayload.length === 0 ? undefined : rawPayload)
    })
  }
}

/** Opens the page in a server of its own when it is first requested: its packages would take a tenth of the start. */
async function openReferencePage(app: App, indexPrefix: string): Promise<FastifyInstance> {
  const { default: fastifySwaggerUi } = await import('@fastify/swagger-ui')
  const server = fastify()
  // The plug-in takes the document from its own server.
  server.decorate('swagger', app.swagger.bind(app))
  server.register(async (scope) => {
    await (fastifySwaggerUi as unknown as (scope: FastifyInstance, options: object) => Promise<void>)(scope, {
      routePrefix: referencePath,
      indexPrefix,
      staticCSP: pageContentPolicy,
      uiConfig: { deepLinking: true, layout: 'BaseLayout' },
    })
  })
  await server.ready()
  return server
}
