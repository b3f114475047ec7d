import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import type { Answer } from '../../support/importer-client.ts'
import { makeRoles, nobody, startMonitoring } from '../../support/monitoring-client.ts'

/** Asserts the shape of every failure; gives the messages by field. */
function failed(answer: Answer, status: number): Record<string, string[]> {
  assert.equal(answer.status, status, answer.text)
  assert.match(String(answer.headers['content-type']), /^application\/json/)
  const { errors, ...rest } = answer.json
  assert.deepEqual(rest, { status: 'error', success: false, data: [] })
  assert.ok(Object.keys(errors ?? {}).length > 0)
  return errors as unknown as Record<string, string[]>
}

describe('paths below /monitoring', () => {
  it('are all 404 where monitoring is off', async (test) => {
    const terrane = await createTestApp({ env: { TERRANE_MONITORING: 'off' } })
    test.after(() => terrane.close())
    for (const url of ['/monitoring', '/monitoring/api/hosts/', '/monitoring/api/status/']) {
      const reply = await terrane.app.inject({ url, headers: terrane.admin })
      assert.equal(reply.statusCode, 404)
      assert.equal(reply.json().code, 'unknown-path')
    }
    const written = await terrane.app.inject({
      method: 'POST',
      url: '/monitoring/api/autoconfigure/',
      headers: terrane.admin,
    })
    assert.equal(written.statusCode, 404)
    assert.deepEqual(await terrane.services.list(), [])
  })

  it('that are those of an older server are 404 without a list of errors, which its pages take for a map', async (test) => {
    for (const [dialect, keeps] of [
      ['geoserver', ['/rest/nothing']],
      ['contract', ['/rest/nothing', '/api/layers', '/api/v2/datasets?type=vector', '/geo/api/layers']],
    ] as const) {
      const env = { TERRANE_DIALECT: dialect, TERRANE_BASE_PATH: '/geo' }
      const { server } = await startMonitoring(test, { env })
      const paths = ['/rest/nothing', '/geo/api/layers', '/api/layers', '/api/v2/datasets?type=vector']
      for (const path of paths) {
        const url = path.startsWith('/rest') ? `/geo${path}` : path
        const reply = await server.app.inject({ url, headers: server.admin })
        assert.equal(reply.statusCode, 404)
        assert.match(reply.json().detail, /^No such path: /)
        assert.equal('errors' in reply.json(), (keeps as readonly string[]).includes(path), path)
      }
    }
  })

  it('take a slash behind or none, and stand under the base path', async (test) => {
    const { server } = await startMonitoring(test, { env: { TERRANE_BASE_PATH: '/geo' } })
    for (const url of ['/geo/monitoring/api/hosts', '/geo/monitoring/api/hosts/'])
      assert.equal((await server.app.inject({ url, headers: server.admin })).statusCode, 200, url)
    const outside = await server.app.inject({ url: '/monitoring/api/hosts', headers: server.admin })
    assert.equal(outside.statusCode, 404)
    assert.equal(outside.json().code, 'unknown-path')
  })

  it('are described by OpenAPI, with the envelope as their failure', async (test) => {
    const { server } = await startMonitoring(test)
    const { paths } = (await server.app.inject('/openapi.json')).json()
    const { get } = paths['/monitoring/api/event_types']
    assert.deepEqual(Object.keys(get.responses['4XX'].content), ['application/json'])
    assert.equal(get.parameters[0].name, 'ows_service')
    const described = Object.keys(paths).filter((path) => path.startsWith('/monitoring/'))
    for (const path of described)
      for (const operation of Object.values<{ summary?: string }>(paths[path]))
        assert.ok(operation.summary, `${path} has no summary`)
  })
})

describe('failures below /monitoring', () => {
  it('have the envelope with 404 for unknown paths and ids, for everyone', async (test) => {
    const { call } = await startMonitoring(test)
    for (const path of ['/nothing', '/apis', '/api/nothing/', '/api/services/1/nothing'])
      assert.deepEqual(Object.keys(failed(await call('GET', path), 404)), ['__all__'])
    failed(await call('GET', '/nothing', undefined, nobody), 404)
    for (const id of ['99', 'x', '-1', '1.5', '9'.repeat(30)])
      for (const list of ['services', 'hosts']) failed(await call('GET', `/api/${list}/${id}/`), 404)
  })

  it('have the envelope with 400 for malformed paths', async (test) => {
    const { call } = await startMonitoring(test)
    failed(await call('GET', '/%zz'), 400)
  })

  it('have the envelope with 405 and Allow for methods that a path does not have', async (test) => {
    const { call } = await startMonitoring(test)
    const answer = await call('DELETE', '/api/hosts/')
    assert.deepEqual(failed(answer, 405), { __all__: ['DELETE is not allowed here, only GET, HEAD, POST'] })
    assert.equal(answer.headers.allow, 'GET, HEAD, POST')
    failed(await call('GET', '/api/autoconfigure/'), 405)
  })

  it('have the envelope with 401 for nobody and for wrong credentials', async (test) => {
    const { call } = await startMonitoring(test)
    for (const headers of [
      nobody,
      { authorization: 'Basic YWRtaW46d3Jvbmc=' },
      { authorization: 'Bearer x' },
    ]) {
      const answer = await call('GET', '/api/services/', undefined, headers)
      failed(answer, 401)
      assert.equal(answer.headers['www-authenticate'], 'Basic realm="terrane"')
    }
  })

  it('have the envelope with 429 and Retry-After after too many wrong passwords', async (test) => {
    const { call } = await startMonitoring(test)
    const wrong = { authorization: 'Basic YWRtaW46d3Jvbmc=' }
    let answer = await call('GET', '/api/hosts/', undefined, wrong)
    for (let tries = 0; answer.status === 401 && tries < 100; tries += 1)
      answer = await call('GET', '/api/hosts/', undefined, wrong)
    failed(answer, 429)
    assert.ok(Number(answer.headers['retry-after']) > 0)
  })

  it('have the envelope with 403 for roles without the right', async (test) => {
    const { call, server } = await startMonitoring(test)
    const { user } = await makeRoles(server)
    const errors = failed(await call('POST', '/api/autoconfigure/', undefined, user), 403)
    assert.deepEqual(errors, { __all__: ['This needs the role staff; one-user is user'] })
  })

  it('have the envelope with 403 for requests of foreign pages', async (test) => {
    const { call } = await startMonitoring(test)
    failed(await call('POST', '/api/autoconfigure/', undefined, { origin: 'https://other.example' }), 403)
  })

  it('have the envelope with 400 for bodies that are no JSON, or no object', async (test) => {
    const { call, server } = await startMonitoring(test)
    const broken = await server.app.inject({
      method: 'POST',
      url: '/monitoring/api/hosts/',
      headers: { ...server.admin, 'content-type': 'application/json' },
      payload: '{"name":',
    })
    assert.equal(broken.statusCode, 400)
    assert.match(broken.json().errors.__all__[0], /not JSON/)
    for (const body of [[], 'x', 7])
      failed(await call('POST', '/api/hosts/', body, { 'content-type': 'application/json' }), 400)
  })

  it('have the envelope with 413 and 415 for bodies that are too large or of another type', async (test) => {
    const { call } = await startMonitoring(test)
    failed(await call('POST', '/api/hosts/', { name: 'x'.repeat(6 * 2 ** 20) }), 413)
    failed(await call('POST', '/api/hosts/', `name=${'x'.repeat(300_000)}`), 413)
    failed(await call('POST', '/api/hosts/', 'a=1&'.repeat(1001)), 413)
    failed(await call('POST', '/api/hosts/', 'a: 1', { 'content-type': 'application/x-yaml' }), 415)
  })

  it('have the envelope with 409 for an Idempotency-Key that was used with another body', async (test) => {
    const { call } = await startMonitoring(test)
    const key = { 'idempotency-key': 'one' }
    const first = await call('POST', '/api/hosts/', { name: 'a', ip: '10.0.0.1' }, key)
    const again = await call('POST', '/api/hosts/', { name: 'a', ip: '10.0.0.1' }, key)
    assert.equal(again.text, first.text)
    failed(await call('POST', '/api/hosts/', { name: 'b', ip: '10.0.0.1' }, key), 409)
  })

  it('have the envelope with 412 where If-Match names another state', async (test) => {
    const { call } = await startMonitoring(test)
    const stale = { 'if-match': '"other"' }
    failed(await call('PUT', '/api/services/1/', { notes: 'x' }, stale), 412)
    failed(await call('DELETE', '/api/hosts/1/', undefined, stale), 412)
  })

  it('have the envelope with 500 and tell the request id, and nothing else, of what the server failed in', async (test) => {
    const { call, server } = await startMonitoring(test)
    server.services.list = () => Promise.reject(new Error('inner detail'))
    const errors = failed(await call('GET', '/api/services/'), 500)
    assert.match(errors.__all__?.[0] ?? '', /log entry of request [\da-f-]{36}$/)
    assert.doesNotMatch(JSON.stringify(errors), /inner/)
  })

  it('name every wrong field with its messages', async (test) => {
    const { call } = await startMonitoring(test)
    assert.deepEqual(failed(await call('POST', '/api/services/', {}), 400), {
      name: ['This field is required.'],
      host: ['This field is required.'],
      type: ['This field is required.'],
    })
  })
})

describe('parameters below /monitoring', () => {
  it('that are empty count as absent, repeated ones are refused, unknown ones ignored and named', async (test) => {
    const { call } = await startMonitoring(test)
    const empty = await call('GET', '/api/event_types/?ows_service=&colour=red&colour=blue')
    assert.equal(empty.status, 200)
    assert.equal(empty.headers['terrane-ignored'], 'colour')
    assert.deepEqual(failed(await call('GET', '/api/event_types/?ows_service=1&ows_service=1'), 400), {
      ows_service: ['Enter one value: this one was given 2 times.'],
    })
    const list = await call('GET', '/api/hosts/?page=2')
    assert.equal(list.headers['terrane-ignored'], 'page')
  })
})
