import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { FedMonitoring } from '../../support/fed-monitoring.ts'
import { requestAt, startFed } from '../../support/fed-monitoring.ts'
import { databases } from '../../support/monitoring-client.ts'
import { creation, toForm } from '../../support/notification-client.ts'

const envelope = ['status', 'success', 'errors', 'data']
const day = 'valid_from=2026-11-21&valid_to=2026-11-22&interval=86400'

interface Path {
  path: string
  query?: string
  allow: string
  /** Keys of the response to GET; absent if there is no GET. */
  keys?: string[]
  /** In the dialect of older systems, where it differs. */
  olderKeys?: string[]
}

const read = 'GET, HEAD'
/** Every path of the contract, with what the tests have made. */
const paths: Path[] = [
  { path: 'hosts', allow: 'GET, HEAD, POST', keys: ['hosts'] },
  { path: 'services', allow: 'GET, HEAD, POST', keys: ['services'] },
  {
    path: 'resources',
    query: 'metric_name=request.count&resource_type=layer',
    allow: read,
    keys: ['resources'],
    olderKeys: [...envelope, 'resources'],
  },
  { path: 'resource_types', allow: read, keys: [...envelope, 'resource_types'] },
  { path: 'event_types', query: 'ows_service=True', allow: read, keys: [...envelope, 'event_types'] },
  {
    path: 'labels',
    query: 'metric_name=request.path',
    allow: read,
    keys: ['labels'],
    olderKeys: [...envelope, 'labels'],
  },
  { path: 'metrics', allow: read, keys: ['metrics'] },
  { path: 'metric_data/request.count', query: day, allow: read, keys: ['data'] },
  { path: 'exceptions', allow: read, keys: ['exceptions'], olderKeys: [...envelope, 'exceptions'] },
  {
    path: 'exceptions/1',
    allow: read,
    keys: ['error_type', 'error_message', 'error_data', 'service', 'created', 'request'],
  },
  { path: 'autoconfigure', allow: 'POST' },
  { path: 'status', allow: read, keys: envelope },
  { path: 'notifications', allow: 'GET, HEAD, POST', keys: envelope },
  { path: 'notifications/config/6', allow: 'DELETE, GET, HEAD, POST', keys: envelope },
]

/** A server with a use of a layer that failed, and with a check that does not hold. */
async function start(test: TestContext, env: Record<string, string>): Promise<FedMonitoring> {
  const fed = await startFed(test, env)
  // Evaluates the only minute before the check exists, so that the check never sends anything.
  await fed.server.monitoring?.catchUp()
  const { mapserver: serviceId } = fed.services
  const request = requestAt('2026-11-21T12:33:00Z', {
    serviceId,
    eventType: 'OWS:WMS',
    resources: [{ type: 'layer', name: 'ws:roads' }],
    status: 500,
    errorType: 'Broken',
  })
  const { created } = request
  const exception = { serviceId, created, errorType: 'Broken', message: 'It broke', stack: 'at x', request }
  await fed.feed({ events: [request], exceptions: [exception] })
  const made = await fed.call('POST', '/api/notifications/', toForm(creation('Few')))
  assert.equal(made.json.data?.id, 6, made.text)
  const limit = toForm({ 'request.count.min_value': '10', active: 'on' })
  assert.equal((await fed.call('POST', '/api/notifications/config/6/', limit)).status, 200)
  return fed
}

for (const [name, environment] of Object.entries(databases))
  for (const dialect of ['contract', 'geoserver'])
    describe(`every path of the contract on ${name}, dialect ${dialect}`, () => {
      it('answers JSON with its keys, alike with and without a slash behind, to HEAD too', async (test) => {
        const fed = await start(test, { TERRANE_DIALECT: dialect, ...(await environment()) })
        for (const { path, query = '', keys, olderKeys = keys } of paths) {
          if (keys === undefined) continue
          const [bare, slashed] = [`/api/${path}?${query}`, `/api/${path}/?${query}`]
          const answer = await fed.call('GET', bare)
          assert.equal(answer.status, 200, `${path}: ${answer.text}`)
          assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8', path)
          assert.deepEqual(Object.keys(answer.json), dialect === 'contract' ? keys : olderKeys, path)
          const other = await fed.call('GET', slashed)
          assert.deepEqual([other.status, other.text], [200, answer.text], path)
          const head = await fed.call('HEAD', slashed)
          assert.deepEqual([head.status, head.text], [200, ''], path)
          assert.equal(head.headers['content-length'], String(Buffer.byteLength(answer.text)), path)
        }
        for (const path of ['/api/autoconfigure', '/api/autoconfigure/'])
          assert.equal((await fed.call('POST', path)).text, '{"status":"ok","success":true,"errors":{}}')
        for (const path of ['/api/notifications', '/api/notifications/config/6'])
          assert.equal(
            (await fed.call('POST', path, 'severity=bad')).text,
            (await fed.call('POST', `${path}/`, 'severity=bad')).text,
          )
      })

      it('answers 405 with Allow in the envelope to methods that it does not have', async (test) => {
        const fed = await start(test, { TERRANE_DIALECT: dialect, ...(await environment()) })
        for (const { path, allow } of paths)
          for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
            if (allow.split(', ').includes(method)) continue
            const { status, headers, json } = await fed.call(method, `/api/${path}/`)
            const what = `${method} ${path}`
            assert.deepEqual([status, headers.allow], [405, allow], what)
            const __all__ = [`${method} is not allowed here, only ${allow}`]
            assert.deepEqual(json, { status: 'error', success: false, errors: { __all__ }, data: [] }, what)
          }
      })
    })
