import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { createTestApp, type TestApp } from '../support/app.ts'
import { fixedClock } from '../support/fixed-clock.ts'
import { arcgis } from '../support/sources/arcgis-server.ts'
import { points, SourceClient } from '../support/sources/source-client.ts'
import { startWebServer } from '../support/web-server.ts'

const clock = fixedClock('2026-06-01T10:00:00Z')
let app: TestApp
let client: SourceClient
let other: TestApp
let url: string
let folder: string
const rows = Array.from({ length: 2345 }, (_, index): [number, string] => [
  index + 1,
  `tree ${index % 7} <&ä>`,
])

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'terrane-services-'))
  const env = { TERRANE_IMPORT_ROOTS: folder, TERRANE_REMOTE_ALLOW: '127.0.0.1/32' }
  app = await createTestApp({ clock, env })
  client = new SourceClient(app)
  other = await createTestApp({ env })
  await other.app.listen({ port: 0, host: '127.0.0.1' })
  const address = other.app.server.address()
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  writeFileSync(join(folder, 'trees.geojson'), points(rows))
  const made = new SourceClient(other)
  await made.create({ name: 'trees', data: { type: 'file', file: 'trees.geojson' } })
  assert.equal((await made.run('trees')).outcome, 'loaded')
  await made.request('PUT', '/rest/layers/trees', { payload: { layer: { public: true } } })
})

after(async () => {
  await app.close()
  await other.close()
  rmSync(folder, { recursive: true, force: true })
})

function service(name: string, data: object, settings: object = {}) {
  return client.create({
    name,
    data: { type: 'service', ...data },
    target: { layer: name },
    retry: { times: 0 },
    ...settings,
  })
}

/** Sorted rows of a layer of this server. */
async function loaded(layer: string): Promise<unknown[]> {
  const names = await client.values(layer, 'name')
  const gids = await client.values(layer, 'gid')
  return [names, gids.map(Number).sort((one, two) => one - two)]
}

/** The same rows as GDAL reads them. */
async function readByGdal(source: string, layer: string): Promise<unknown[]> {
  const path = join(folder, `${Math.random()}.geojson`)
  await promisify(execFile)('ogr2ogr', ['-f', 'GeoJSON', path, source, layer])
  const { features } = JSON.parse(readFileSync(path, 'utf8')) as {
    features: { properties: Record<string, unknown> }[]
  }
  return [
    features.map(({ properties }) => properties['name']).sort(),
    features.map(({ properties }) => Number(properties['gid'])).sort((one, two) => one - two),
  ]
}

describe('a source of a service', () => {
  it('reads OGC API Features page by page, with the values of GDAL, and finds it unchanged', async () => {
    const location = `${url}/ogc`
    await service('by_ogcapi', { kind: 'ogcapi-features', location, layer: 'default:trees' })
    const run = await client.run('by_ogcapi')
    assert.deepEqual([run.outcome, run.rows], ['loaded', rows.length], run.message ?? '')
    assert.deepEqual(await loaded('by_ogcapi'), await readByGdal(`OAPIF:${location}`, 'default:trees'))
    assert.equal((await client.run('by_ogcapi')).outcome, 'unchanged')
  })

  it('reads WFS 2.0 page by page, with the values of GDAL', async () => {
    const location = `${url}/wfs`
    await service('by_wfs', { kind: 'wfs', location, layer: 'default:trees' })
    const run = await client.run('by_wfs')
    assert.deepEqual([run.outcome, run.rows], ['loaded', rows.length], run.message ?? '')
    assert.deepEqual(await loaded('by_wfs'), await readByGdal(`WFS:${location}`, 'default:trees'))
    assert.equal((await client.run('by_wfs')).outcome, 'unchanged')
  })

  it('reads an ArcGIS feature service by object id, with dates and coded values', async (test) => {
    const server = arcgis()
    const location = `${await startWebServer(test, server.listener)}/rest/services/trees/FeatureServer`
    await service('by_arcgis', { kind: 'arcgis-featureserver', location, layer: 'Trees' })
    const run = await client.run('by_arcgis')
    assert.deepEqual([run.outcome, run.rows], ['loaded', 5], run.message ?? '')
    assert.match(run.notes?.join() ?? '', /attachments/)
    assert.deepEqual(await client.values('by_arcgis', 'kind_label'), ['Elm', 'Elm', 'Oak', 'Oak', 'Oak'])
    const [planted] = await client.values('by_arcgis', 'planted')
    assert.match(String(planted), /^2001-09-09T01:46:40/)
    assert.equal((await client.run('by_arcgis')).outcome, 'unchanged')
  })

  for (const [fault, code] of [
    ['html', 'service-failed'],
    ['truncated', 'service-failed'],
    ['repeated', 'duplicate-features'],
    ['count', 'wrong-count'],
    ['schema', 'schema-changed'],
    ['error', 'service-failed'],
  ] as const)
    it(`keeps the old rows when the service has the fault "${fault}"`, async (test: TestContext) => {
      const server = arcgis()
      const location = `${await startWebServer(test, server.listener)}/rest/services/trees/FeatureServer`
      const name = `fault_${fault}`
      await service(name, { kind: 'arcgis-featureserver', location, layer: '0' })
      assert.equal((await client.run(name)).outcome, 'loaded')
      server.state.fault = fault
      const run = await client.run(name)
      assert.deepEqual([run.outcome, run.code], ['failed', code], run.message ?? '')
      assert.equal((await client.values(name, 'kind')).length, 5)
      assert.equal(run.import, null)
    })

  it('waits as long as a busy service asks for', async (test) => {
    const server = arcgis()
    const location = `${await startWebServer(test, server.listener)}/rest/services/trees/FeatureServer`
    await service('busy', { kind: 'arcgis-featureserver', location, layer: '0' })
    server.state.busy = 2
    const run = await client.run('busy')
    assert.deepEqual([run.outcome, run.rows, server.state.busy], ['loaded', 5, 0], run.message ?? '')
  })
})
