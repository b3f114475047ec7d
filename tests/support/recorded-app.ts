import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { TestApp, TestAppOptions } from './app.ts'
import { createTestApp } from './app.ts'
import { clientOf } from './importer-client.ts'
import type { LoggedRequest } from './request-log.ts'
import { requestLogOf } from './request-log.ts'

/** A server that counts its requests; closed after the test. */
export async function startApp(test: TestContext, options: TestAppOptions = {}): Promise<TestApp> {
  const app = await createTestApp({ ...options, env: { TERRANE_MONITORING: 'on', ...options.env } })
  test.after(() => app.close())
  return app
}

/** Returns the requests recorded so far. */
export async function recorded(app: TestApp): Promise<LoggedRequest[]> {
  await app.monitoring?.catchUp()
  return requestLogOf(app)
}

/** Names of services by id. */
export async function serviceNames(app: TestApp): Promise<Map<number, string>> {
  return new Map((await app.services.list()).map(({ id, name }) => [id, name]))
}

/** Method, path, status and event type. */
export function brief({ eventType, status, texts }: LoggedRequest): string {
  return `${texts.method} ${texts.path} ${status} ${eventType}`
}

const town = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] }, properties: { a: 1 } }],
})

/** Publishes the layer `default:town`, which has one point. */
export async function importTown(app: TestApp): Promise<void> {
  const client = clientOf(app)
  const { json } = await client.call('POST', '', { import: {} })
  await client.upload(Number(json.import?.id), [{ name: 'town.geojson', content: town }])
  assert.equal((await client.call('POST', `/${json.import?.id}`)).status, 204)
}
