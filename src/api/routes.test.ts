import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cumulativeEventTypes } from '../monitoring/model/event-types.ts'
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
