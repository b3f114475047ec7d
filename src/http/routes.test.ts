import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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
