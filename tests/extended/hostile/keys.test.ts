import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeHostileKeys, startWithPlaces } from '../../support/hostile-keys.ts'

// tests/release/hostile/keys.test.ts sends them all. No number of texts is a multiple of this: each text comes to some place.
describeHostileKeys(3)

describe('names that every object inherits', () => {
  it('stay members of raw bodies that are no members of what the server reads', async (test) => {
    const { client } = await startWithPlaces(test, 'contract')
    for (const body of [
      '{"__proto__":{"import":{"archive":true}}}',
      '{"import":{"__proto__":{"archive":true}}}',
      '{"import":{"data":{"type":"__proto__"}}}',
      '{import:{__proto__:{archive:true}}}',
      '{"constructor":{"prototype":{"archive":true}}}',
    ]) {
      const { app, admin } = client.server
      const headers = { ...admin, 'content-type': 'application/json' }
      const reply = await app.inject({ method: 'POST', url: '/rest/imports', headers, payload: body })
      assert.ok(reply.statusCode < 500, body)
      assert.notEqual(reply.json().import?.archive, true, body)
      assert.equal(({} as { archive?: unknown }).archive, undefined)
    }
  })

  it('are names of files like any other', async (test) => {
    const { client } = await startWithPlaces(test, 'contract')
    for (const ending of ['constructor', '__proto__', 'valueof', 'tostring']) {
      const { status, json } = await client.upload(0, [
        { name: `roads.${ending}`, content: 'a,b\n1,2\n' },
        { name: 'roads.csv', content: 'a,b\n1,2\n' },
        { name: `${ending}.csv`, content: 'constructor,__proto__,toString\n1,2,3\n' },
      ])
      assert.equal(status, 201, JSON.stringify(json))
    }
  })
})
