import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { basicAuth } from '../../support/app.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'

const password = 'long-enough'
const task = '/0/tasks/0'
/** Every kind of request to the importer, safe methods first; all refer to existing objects. */
const requests: [string, string, unknown?][] = [
  ['GET', ''],
  ['GET', '/0'],
  ['GET', '/0/data'],
  ['GET', '/0/data/files'],
  ['GET', '/0/events'],
  ['GET', '/0/tasks'],
  ['GET', task],
  ['GET', `${task}/data`],
  ['GET', `${task}/layer`],
  ['GET', `${task}/layer/style`],
  ['GET', `${task}/target`],
  ['GET', `${task}/progress`],
  ['GET', `${task}/rejects`],
  ['GET', `${task}/transforms`],
  ['POST', '', { import: {} }],
  ['POST', '?exec=true', { import: {} }],
  ['PUT', '/50', { import: {} }],
  ['PUT', `${task}/layer`, { layer: { title: 'other' } }],
  ['PUT', `${task}/target`, { dataStore: { name: 'default' } }],
  ['PUT', task, { task: { updateMode: 'APPEND' } }],
  ['PUT', '/0/tasks/points.csv', 'a,b\n1,2\n'],
  ['POST', `${task}/transforms`, { type: 'ReprojectTransform', target: 'EPSG:3857' }],
  ['POST', '/0'],
  ['DELETE', `${task}/run`],
  ['DELETE', '/0/run'],
  ['DELETE', task],
  ['DELETE', '/0'],
]

async function start(test: TestContext): Promise<ImporterClient> {
  const client = await startImporter(test)
  for (const role of ['user', 'staff']) {
    const reply = await client.server.app.inject({
      method: 'POST',
      url: '/rest/security/users',
      headers: client.server.admin,
      payload: { user: { name: `one-${role}`, password, role } },
    })
    assert.equal(reply.statusCode, 201)
  }
  client.provide('geojson/valid.geojson')
  await client.call('POST', '', { import: { data: { type: 'file', file: 'valid.geojson' } } })
  return client
}

describe('the importer', () => {
  it('answers 403 to the role user for every request, and changes nothing', async (test) => {
    const client = await start(test)
    const before = (await client.call('GET', '/0?expand=3')).text
    for (const [method, path, body] of requests) {
      const { status, json } = await client.call(method, path, body, basicAuth('one-user', password))
      assert.equal(status, 403, `${method} ${path}`)
      assert.equal(String(json.code), 'not-allowed')
    }
    const form = { 'content-type': 'multipart/form-data; boundary=x', ...basicAuth('one-user', password) }
    assert.equal((await client.call('POST', '/0/tasks', '--x--', form)).status, 403)
    assert.equal((await client.call('GET', '/0?expand=3')).text, before)
    assert.equal((await client.call('GET', '/1')).status, 404)
  })

  it('answers 401 to nobody in particular, for imports that are not there too', async (test) => {
    const client = await start(test)
    for (const [method, path, body] of [...requests, ['GET', '/99'] as const]) {
      const reply = await client.server.app.inject({
        method: method as 'GET',
        url: `/rest/imports${path}`,
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      })
      assert.equal(reply.statusCode, 401, `${method} ${path}`)
    }
  })

  it('lets staff do everything', async (test) => {
    const client = await start(test)
    const staff = basicAuth('one-staff', password)
    const isStream = (path: string): boolean => path.endsWith('/events')
    for (const [method, path, body] of requests.filter(([, path]) => !isStream(path))) {
      const { status, text } = await client.call(method, path, body, staff)
      assert.ok(status < 300 || status === 409, `${method} ${path}: ${status} ${text}`)
    }
    assert.equal((await client.call('GET', '/0')).status, 404)
  })
})
