import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cumulativeEventTypes } from '../monitoring/model/event-types.ts'
import { resourceAccesses } from './app-types.ts'
import { endpoints } from './routes.ts'

describe('the tables of endpoints', () => {
  it('name each operation once', () => {
    const names = endpoints.map(({ id, dialect = '' }) => `${id} ${dialect}`)
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    )
    for (const { id } of endpoints) assert.match(id, /^[a-z][a-zA-Z\d]+$/)
  })

  it('have each method of a path once', () => {
    const lines = endpoints.map(({ method, path, dialect = '' }) => `${method} ${path} ${dialect}`)
    assert.deepEqual(
      lines.filter((line, index) => lines.indexOf(line) !== index),
      [],
    )
  })

  it('tell what is done to a resource', () => {
    const cases: [line: string, countsAs: string][] = [
      ['GET /health', 'unrecorded'],
      ['GET /metrics', 'unrecorded'],
      ['GET /monitoring/api/services', 'unrecorded'],
      ['GET /ogc/collections/:collectionId/items', 'OWS:WFS'],
      ['GET /ogc/collections/:collectionId/file/:fileName', 'OWS:WCS'],
      ['POST /rest/imports/:importId/tasks', 'upload'],
      ['POST /rest/imports/:importId', 'publish'],
      ['PUT /rest/imports/:importId/tasks/:taskId(^\\d+$)', 'change'],
      ['GET /rest/imports/:importId/tasks/:taskId/rejects', 'download'],
      ['GET /rest/layers/:layer', 'view_metadata'],
      ['PUT /rest/layers/:layer', 'change_metadata'],
      ['DELETE /rest/layers/:layer', 'remove'],
      ['POST /rest/workspaces', 'create'],
    ]
    for (const [line, countsAs] of cases) {
      const found = endpoints.find(({ method, path }) => `${method} ${path}` === line)
      assert.equal(found?.countsAs, countsAs, line)
    }
    const types = new Set<string>(endpoints.map((one) => one.countsAs))
    for (const cumulative of cumulativeEventTypes) assert.ok(!types.has(cumulative))
  })

  it('leave out of monitoring what is below /monitoring, and nothing of /rest and /ogc', () => {
    for (const { path, countsAs } of endpoints)
      assert.equal(countsAs === 'unrecorded', /^\/(assets|health|metrics|monitoring)(\/|$)/.test(path), path)
  })

  it('let the rules of access decide about each resource in a path', () => {
    const byHandler = /^\/(tiles|monitoring\/tiles|ogc|gwc|:workspace|wmts)(?=\/|$)/
    for (const { method, path, access } of endpoints) {
      if (!/:(layer|collectionId|recordId|workspace)\b/.test(path)) continue
      const isRead = method === 'GET' || method === 'OPTIONS' || path.endsWith('.png')
      const isDecided = access === 'admin' || Object.hasOwn(resourceAccesses, String(access))
      // Handlers decide, as tests/contract/access tries at each route; `/rest/workspaces/:workspace/layers` is a list, and a
      // group has the rights of its layers.
      const isByHandler =
        (byHandler.test(path) && isRead) ||
        /\/(layers|layergroups(\/:layergroup)?)$/.test(path) ||
        /\/(wms|wfs|wcs|ows)$/.test(path)
      assert.ok(isDecided || isByHandler, `${method} ${path} does not say what right it needs`)
    }
  })

  for (const { method, path, operation } of endpoints)
    it(`describe ${method} ${path}`, () => {
      assert.ok(operation.summary)
      assert.ok(operation.tags.length > 0)
      for (const answers of [operation.answers, operation.olderAnswers ?? operation.answers])
        assert.ok(
          Object.keys(answers).some((status) => /^2\d\d$/.test(status)),
          'no answer that succeeds',
        )
      const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
      const described = Object.keys(Object(operation.params).properties ?? {})
      assert.deepEqual(described.sort(), named.sort())
    })
})
