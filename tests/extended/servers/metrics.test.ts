import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { TestApp, TestAppOptions } from '../../support/app.ts'
import { adminPassword, basicAuth, createTestApp } from '../../support/app.ts'
import { clientOf } from '../../support/importer-client.ts'
import { startPrometheus } from '../../support/prometheus.ts'
import { openFolder } from '../../support/remote-servers.ts'

async function start(test: TestContext, options: TestAppOptions = {}): Promise<TestApp> {
  const terrane = await createTestApp({ ...options, env: { TERRANE_LOADS: '1', ...options.env } })
  test.after(() => terrane.close())
  return terrane
}

function get({ app, admin }: TestApp, url: string) {
  return app.inject({ method: 'GET', url, headers: admin })
}

async function makeToken({ app, admin }: TestApp, base = ''): Promise<string> {
  const user = { name: 'prometheus', password: 'scrape-password-1', role: 'user' }
  await app.inject({ method: 'POST', url: `${base}/rest/security/users`, headers: admin, payload: { user } })
  const made = await app.inject({
    method: 'POST',
    url: `${base}/rest/security/tokens`,
    payload: { token: { name: 'scrape' } },
    headers: basicAuth(user.name, user.password),
  })
  return made.json().token.value
}

describe('GET /metrics', () => {
  it('is what promtool takes for metrics, with nothing to complain about', async (test) => {
    const terrane = await start(test)
    await get(terrane, '/rest/imports')
    await get(terrane, '/rest/imports/99')
    const { headers, body } = await get(terrane, '/metrics')
    assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: body })
    assert.equal(`${stdout}${stderr}`, '')
    assert.equal(status, 0)
  })

  it('needs a login, and no more than the role user', async (test) => {
    const terrane = await start(test)
    const authorization = `Bearer ${await makeToken(terrane)}`
    const requested = (headers: Record<string, string>) => terrane.app.inject({ url: '/metrics', headers })
    assert.equal((await requested({})).statusCode, 401)
    assert.equal((await requested({ authorization })).statusCode, 200)
  })

  it('counts what is asked of a layer, and the rows of the import that made it', async (test) => {
    const terrane = await start(test, { env: { TERRANE_BASE_PATH: '/geo' } })
    const client = clientOf(terrane)
    const headers = terrane.admin
    await terrane.app.inject({
      method: 'POST',
      url: '/geo/rest/workspaces',
      headers,
      payload: { workspace: { name: 'w' } },
    })
    client.provide('geojson/countries.geojson', 'countries.geojson')
    const payload = {
      import: {
        targetWorkspace: { workspace: { name: 'w' } },
        data: { type: 'file', file: 'countries.geojson' },
      },
    }
    const made = await terrane.app.inject({
      method: 'POST',
      url: '/geo/rest/imports?exec=true',
      headers,
      payload,
    })
    assert.equal(made.statusCode, 201, made.body)
    for (const path of ['', '/items', '/items'])
      await terrane.app.inject({ method: 'GET', url: `/geo/ogc/collections/w:countries${path}`, headers })
    await terrane.app.inject({ method: 'GET', url: '/geo/ogc/collections/w:nothing', headers })
    const { body } = await get(terrane, '/geo/metrics')
    assert.match(body, /^terrane_layer_requests_total\{layer="w:countries"\} 3$/m)
    assert.doesNotMatch(body, /w:nothing/)
    assert.match(body, /^terrane_imports_total\{state="COMPLETE"\} 1$/m)
    assert.match(body, /^terrane_rows_loaded_total 242$/m)
  })

  it('tells how monitoring fares where it is on', async (test) => {
    const terrane = await start(test, { env: { TERRANE_MONITORING: 'on' } })
    await get(terrane, '/rest/workspaces')
    await terrane.monitoring?.catchUp()
    const { body } = await get(terrane, '/metrics')
    assert.match(body, /^terrane_monitoring_waiting_requests \d+$/m)
    assert.match(body, /^terrane_monitoring_dropped_requests_total 0$/m)
    assert.match(body, /^terrane_monitoring_up 1$/m)
    assert.match(body, /^terrane_monitoring_last_collection_age_seconds \d+(\.\d+)?$/m)
    const { disk, lastCollectionSeconds } = (await terrane.app.inject('/health')).json()
    assert.ok(lastCollectionSeconds >= 0 && lastCollectionSeconds < 60)
    const { bavail, bsize } = statfsSync(terrane.dataDir)
    assert.ok(Math.abs(disk.freeBytes - bavail * bsize) < 2 ** 32 && disk.freeBytes < disk.totalBytes)
    const free = Number(/^terrane_disk_free_bytes (\S+)$/m.exec(body)?.[1])
    assert.ok(Math.abs(free - bavail * bsize) < 2 ** 32)
  })

  it('is scraped by Prometheus with a password and with a token, below the base path', async (test) => {
    const terrane = await start(test, { env: { TERRANE_BASE_PATH: '/geo' } })
    const token = await makeToken(terrane, '/geo')
    const port = new URL(await terrane.app.listen({ host: '127.0.0.1', port: 0 })).port
    const file = join(openFolder(test), 'token')
    writeFileSync(file, token)
    const prometheus = await startPrometheus(
      test,
      `  - job_name: password
    metrics_path: /geo/metrics
    basic_auth: { username: admin, password: ${adminPassword} }
    static_configs: [{ targets: ['127.0.0.1:${port}'] }]
  - job_name: token
    metrics_path: /geo/metrics
    authorization: { credentials_file: ${file} }
    static_configs: [{ targets: ['127.0.0.1:${port}'] }]
`,
    )
    for (let count = 0; count < 7; count += 1) await get(terrane, '/geo/rest/workspaces')
    for (const job of ['password', 'token']) {
      await prometheus.queryUntil(`up{job="${job}"}`, (up) => up === 1)
      const counted = `terrane_http_requests_total{job="${job}",route="/rest/workspaces",status="2xx"}`
      assert.equal(await prometheus.queryUntil(counted, (count) => count >= 7), 7)
    }
    const [size] = await prometheus.query(
      'terrane_http_response_bytes_total{job="token",route="/rest/workspaces"}',
    )
    const { body } = await get(terrane, '/geo/rest/workspaces')
    assert.equal(size?.value, 7 * Buffer.byteLength(body))
  })
})
