import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { Services } from '../../../src/monitoring/services/services.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { databases, makeRoles, nobody, startMonitoring } from '../../support/monitoring-client.ts'

const mapServers = [
  { name: 'maps', kind: 'mapserver', url: 'http://127.0.0.2/', log: '/var/log/maps.log' },
  { name: 'qgis', kind: 'qgis', url: 'http://127.0.0.2/qgis', hostMetrics: 'http://127.0.0.2:9100/metrics' },
  { name: 'older', kind: 'geoserver', url: 'http://127.0.0.3/gs', user: 'reader', password: 'very-secret' },
]
const env = { TERRANE_PUBLIC_URL: 'https://127.0.0.9/geo', TERRANE_MAP_SERVERS: JSON.stringify(mapServers) }
const path = '/api/autoconfigure/'

async function hostsOf({ services }: TestApp): Promise<[string, string][]> {
  return (await services.listHosts()).map(({ name, ip }) => [name, ip])
}

function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-test-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('the first start', () => {
  for (const [kind, environment] of Object.entries(databases))
    it(`watches this server and the map servers of the settings, on ${kind}`, async (test) => {
      const { server } = await startMonitoring(test, { env: { ...env, ...(await environment()) } })
      const { services } = server
      assert.deepEqual(
        await hostsOf(server),
        ['127.0.0.9', '127.0.0.2', '127.0.0.3'].map((address) => [address, address]),
      )
      const found = (await services.list()).map(({ name, type, hostName, url, source }) => ({
        name,
        type,
        hostName,
        url,
        source: JSON.parse(JSON.stringify(source)),
      }))
      const base = 'https://127.0.0.9/geo'
      const credentials = { user: 'reader', password: '***' }
      const own = { hostName: '127.0.0.9', source: { kind: 'own' } }
      const older = { hostName: '127.0.0.3', url: 'http://127.0.0.3/gs' }
      const olderSource = { url: 'http://127.0.0.3/gs', ...credentials }
      assert.deepEqual(found, [
        { name: '127.0.0.9-app', type: 'app', url: base, ...own },
        { name: '127.0.0.9-hostapp', type: 'hostapp', url: base, ...own },
        { name: '127.0.0.9-mapserver', type: 'mapserver', url: `${base}/ogc`, ...own },
        {
          name: 'maps-mapserver',
          type: 'mapserver',
          hostName: '127.0.0.2',
          url: 'http://127.0.0.2',
          source: { kind: 'log', path: '/var/log/maps.log' },
        },
        {
          name: 'qgis-hostmapserver',
          type: 'hostmapserver',
          hostName: '127.0.0.2',
          url: 'http://127.0.0.2/qgis',
          source: { kind: 'node-exporter', url: 'http://127.0.0.2:9100/metrics' },
        },
        {
          name: 'older-mapserver',
          type: 'mapserver',
          ...older,
          source: { kind: 'geoserver-monitor', ...olderSource },
        },
        {
          name: 'older-hostmapserver',
          type: 'hostmapserver',
          ...older,
          source: { kind: 'geoserver-status', ...olderSource },
        },
      ])
    })

  it('names this machine localhost where it listens on the loopback address', async (test) => {
    const { server } = await startMonitoring(test)
    assert.deepEqual(await hostsOf(server), [['localhost', '127.0.0.1']])
  })

  it('gives the loopback address to a host whose name leads nowhere', async (test) => {
    const { server } = await startMonitoring(test, { env: { TERRANE_PUBLIC_URL: 'http://no.invalid' } })
    assert.deepEqual(await hostsOf(server), [['no.invalid', '127.0.0.1']])
  })

  it('happens once when two servers begin at the same moment', async (test) => {
    const options = { env: { ...env, ...(await databases.PostgreSQL()) }, dataDir: temporaryFolder(test) }
    const started = await Promise.allSettled([startMonitoring(test, options), startMonitoring(test, options)])
    const [first, second] = started.map((one) => {
      assert.ok(one.status === 'fulfilled', String(one))
      return one.value.server.services
    }) as [Services, Services]
    const [left, right] = await Promise.all([first.list(), second.list()])
    assert.equal(left.length, 7)
    assert.deepEqual(
      left.map(({ id, name }) => [id, name]),
      right.map(({ id, name }) => [id, name]),
    )
  })

  it('is the only one that does it by itself', async (test) => {
    const dataDir = temporaryFolder(test)
    await (await createTestApp({ dataDir, env: { TERRANE_MONITORING: 'on' } })).close()
    const { server, call } = await startMonitoring(test, { dataDir, env })
    assert.equal((await server.services.list()).length, 3)
    await call('POST', path)
    assert.equal((await server.services.list()).length, 10)
  })
})

describe('POST autoconfigure', () => {
  const setOut = async (test: TestContext) => {
    const client = await startMonitoring(test, { env })
    return { ...client, services: client.server.services }
  }

  it('answers the envelope without data', async (test) => {
    const { call } = await setOut(test)
    const answer = await call('POST', path)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.json, { status: 'ok', success: true, errors: {} })
  })

  it('changes nothing that exists, however often it is called', async (test) => {
    const { call, services } = await setOut(test)
    await services.update(1, { notes: 'mine', isActive: false, url: 'http://other', hostId: 2 })
    const before = JSON.stringify([await services.listHosts(), await services.list()])
    for (let times = 0; times < 3; times += 1) assert.equal((await call('POST', path)).status, 200)
    assert.equal(JSON.stringify([await services.listHosts(), await services.list()]), before)
  })

  it('makes again what was removed, once also when called twice at once', async (test) => {
    const { call, services } = await setOut(test)
    for (const { id } of await services.list()) await services.remove(id)
    for (const { id } of await services.listHosts()) await services.removeHost(id)
    const answers = await Promise.all([call('POST', path), call('POST', path), call('POST', path)])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    assert.equal((await services.list()).length, 7)
    assert.equal((await services.listHosts()).length, 3)
  })

  it('is for staff and administrators only', async (test) => {
    const { call, server } = await setOut(test)
    const { user, staff } = await makeRoles(server)
    assert.equal((await call('POST', path, undefined, nobody)).status, 401)
    assert.equal((await call('POST', path, undefined, user)).status, 403)
    assert.equal((await call('POST', path, undefined, staff)).status, 200)
    assert.equal((await call('POST', path)).status, 200)
  })
})
