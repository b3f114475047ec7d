import type { TestContext } from 'node:test'
import type { TestApp, TestAppOptions } from './app.ts'
import { basicAuth, createTestApp } from './app.ts'
import { createCatalogDatabase } from './catalog-database.ts'
import type { Answer, Json } from './importer-client.ts'

export interface MonitoringClient {
  server: TestApp
  /** Sends to a path below `/monitoring`; a text is sent as a form, anything else as JSON. As admin by default. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** Headers without credentials. */
export const nobody = { authorization: '' }

const password = 'long-enough'

/** A server that monitors; closed after the test. */
export async function startMonitoring(
  test: Pick<TestContext, 'after'>,
  options: TestAppOptions = {},
): Promise<MonitoringClient> {
  const server = await createTestApp({ ...options, env: { TERRANE_MONITORING: 'on', ...options.env } })
  test.after(() => server.close())
  return monitoringClient(server)
}

export function monitoringClient(server: TestApp): MonitoringClient {
  return {
    server,
    call: async (method, path, body, headers = {}) => {
      const isForm = typeof body === 'string'
      const reply = await server.app.inject({
        method: method as 'GET',
        url: `/monitoring${path}`,
        headers: {
          ...(isForm ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
          ...withoutEmpty({ ...server.admin, ...headers }),
        },
        ...(body === undefined ? {} : { payload: isForm ? body : JSON.stringify(body) }),
      })
      const isJson = /json/.test(String(reply.headers['content-type']))
      return {
        status: reply.statusCode,
        headers: reply.headers,
        json: (isJson && reply.body !== '' ? JSON.parse(reply.body) : {}) as Json,
        text: reply.body,
      }
    },
  }
}

function withoutEmpty(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
}

/** Creates the users `one-user` and `one-staff`. Returns the headers of each role. */
export async function makeRoles(server: TestApp) {
  for (const role of ['user', 'staff']) {
    const reply = await server.app.inject({
      method: 'POST',
      url: '/rest/security/users',
      headers: server.admin,
      payload: { user: { name: `one-${role}`, password, role } },
    })
    if (reply.statusCode !== 201) throw new Error(reply.body)
  }
  return {
    anonymous: nobody,
    user: basicAuth('one-user', password),
    staff: basicAuth('one-staff', password),
    admin: server.admin,
  }
}

/** Environments of servers on each of the two databases. */
export const databases: Record<'SQLite' | 'PostgreSQL', () => Promise<Record<string, string>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}
