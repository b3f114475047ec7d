import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TestApp } from '../../tests/support/app.ts'
import { createTestApp } from '../../tests/support/app.ts'
import { openAreas } from '../app/areas.ts'
import { cumulativeEventTypes } from '../monitoring/model/event-types.ts'
import { createHttpServer } from './server.ts'
import { findUsage, isRecorded } from './usage.ts'

/** Every route of every area, in both dialects. */
async function listRoutes(app: TestApp): Promise<{ method: string; url: string }[]> {
  const routes: { method: string; url: string }[] = []
  const watched = openAreas(app).map((area) => async (scope: Parameters<typeof area>[0]) => {
    scope.addHook('onRoute', ({ method, url, config }) => {
      if (config?.countsAs === undefined) for (const one of [method].flat()) routes.push({ method: one, url })
    })
    await area(scope)
  })
  const server = await createHttpServer(app, watched)
  await server.close()
  return routes
}

describe('findUsage', () => {
  for (const dialect of ['contract', 'geoserver']) {
    it(`has a type of event for every route that is recorded, in the dialect ${dialect}`, async (test) => {
      const app = await createTestApp({ env: { TERRANE_DIALECT: dialect, TERRANE_MONITORING: 'on' } })
      test.after(() => app.close())
      const routes = await listRoutes(app)
      const open = routes.filter(({ method, url }) => isRecorded(url) && findUsage(url, method) === undefined)
      assert.deepEqual(open, [])
      const types = new Set<unknown>(routes.map(({ method, url }) => findUsage(url, method)))
      for (const cumulative of cumulativeEventTypes) assert.ok(!types.has(cumulative))
    })
  }

  it('tells what is done to a resource', () => {
    const cases: [method: string, route: string, type: string][] = [
      ['GET', '/ogc/collections/:collectionId/items', 'OWS:WFS'],
      ['HEAD', '/ogc/collections/:collectionId/file/:fileName', 'OWS:WCS'],
      ['POST', '/rest/imports/:importId/tasks', 'upload'],
      ['POST', '/rest/imports/:importId', 'publish'],
      ['PUT', '/rest/imports/:importId/tasks/:taskId(^\\d+$)', 'change'],
      ['GET', '/rest/imports/:importId/tasks/:taskId/rejects', 'download'],
      ['GET', '/rest/layers/:layer', 'view_metadata'],
      ['PUT', '/rest/layers/:layer', 'change_metadata'],
      ['DELETE', '/rest/layers/:layer', 'remove'],
      ['POST', '/rest/workspaces', 'create'],
    ]
    for (const [method, route, type] of cases)
      assert.equal(findUsage(route, method), type, `${method} ${route}`)
  })
})

describe('isRecorded', () => {
  it('leaves out the operation of the server, and files of pages', () => {
    const urls = [
      '/health',
      '/metrics',
      '/monitoring',
      '/monitoring/api/services?x=1',
      '/docs/static/index.html',
    ]
    for (const url of urls) assert.equal(isRecorded(url), false, url)
    for (const url of ['/', '/docs', '/healthy', '/monitoring-data', '/rest/imports', '/x/health']) {
      assert.equal(isRecorded(url), true, url)
    }
  })
})
