import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import { Type } from 'typebox'
import type { App, HttpContext } from './app-types.ts'
import type { Access } from './auth/access.ts'
import { FailureReply } from './monitoring/bodies.ts'
import { isMonitoringPath } from './monitoring/envelope.ts'

const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String({ description: 'Stable name of the failure' }),
  errors: Type.Array(Type.String()),
})

const failure = {
  description: 'What is wrong (RFC 9457)',
  content: { 'application/problem+json': { schema: Problem } },
}

const monitoringFailure = {
  description: 'What is wrong, by field',
  content: { 'application/json': { schema: FailureReply } },
}

const pageContentPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"

/** OpenAPI from the route schemas at `/openapi.json`, and a reference page at `/docs`. */
export async function describeApi(app: App, { settings, version }: HttpContext): Promise<void> {
  const { publicUrl, basePath } = settings.server
  const base = publicUrl ?? basePath
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Terrane',
        version,
        description: 'Imports spatial data, publishes it as layers, and watches how they are used.',
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
    transform: ({ schema, url, route }) => {
      const described: object = { ...schema, ...describeAnswers(schema?.response, url, route.config?.access) }
      return { schema: described, url }
    },
  })
  addReferencePage(app, new URL(base, 'http://localhost').pathname.replace(/\/$/, ''))
}

function describeAnswers(response: unknown, url: string, access: Access | undefined): object {
  const failed = isMonitoringPath(url) ? monitoringFailure : failure
  const replies = typeof response === 'object' && response !== null ? response : {}
  return {
    response: { ...replies, '4xx': failed },
    security: access === 'public' ? [] : [{ basic: [] }, { token: [] }],
  }
}

function addReferencePage(app: App, indexPrefix: string): void {
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, () => app.swagger())
  app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' }
    })
    await scope.register(fastifySwaggerUi, {
      routePrefix: '/docs',
      indexPrefix,
      staticCSP: pageContentPolicy,
      uiConfig: { deepLinking: true, layout: 'BaseLayout' },
    })
  })
}
