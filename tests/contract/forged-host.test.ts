import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { endpoints } from '../../src/api/routes.ts'
import type { TestApp } from '../support/app.ts'
import { createTestApp } from '../support/app.ts'
import { importPoints } from '../support/versioned-layers.ts'

const forged = 'forged.example.org'

/** Values for path parameters; every public layer is `open:places`. */
const values: Record<string, string> = {
  workspace: 'open',
  layer: 'open:places',
  layers: 'open:places',
  collectionId: 'open:places',
  style: 'places',
  styleId: 'places',
  tileMatrixSetId: 'WebMercatorQuad',
  tileMatrixSet: 'EPSG:3857',
  featureId: '1',
  recordId: 'open:places',
  catalogId: 'layers',
  tileMatrix: '0',
  matrix: '0',
  z: '0',
  x: '0',
  y: '0',
  i: '0',
  j: '0',
  tileRow: '0',
  tileCol: '0',
}

/** Queries for which a service returns a document or a map. */
const queries: Record<string, string[]> = {
  wms: [
    'service=WMS&request=GetCapabilities',
    'service=WMS&version=1.3.0&request=GetMap&layers=open:places&styles=&crs=CRS:84&bbox=0,0,1,1&width=8&height=8&format=image/png',
  ],
  wfs: [
    'service=WFS&request=GetCapabilities',
    'service=WFS&version=2.0.0&request=GetFeature&typenames=open:places',
    'service=WFS&version=2.0.0&request=DescribeFeatureType&typenames=open:places',
    'service=WFS&version=2.0.0&request=GetFeature&typenames=open:places&outputFormat=application/json&count=1',
  ],
  wcs: ['service=WCS&request=GetCapabilities'],
  wmts: ['service=WMTS&request=GetCapabilities'],
  ows: ['service=WMS&request=GetCapabilities'],
  download: ['f=geojson', 'f=csv'],
  items: ['', 'f=json&limit=1', 'f=html', 'f=csv', 'f=gml'],
}

/**
 * Returns URLs of every GET endpoint that allows anonymous requests, if this server has the objects that its
 * path names.
 */
function publicAddresses(): string[] {
  return endpoints.flatMap(({ method, path, access }) => {
    const isOpen = ['public', 'workspace', 'layer', 'style'].includes(String(access))
    if (method !== 'GET' || !isOpen) return []
    const plain = path.replace(/\(.*?\)/g, '').replace(/:(\w+)/g, (all, name: string) => values[name] ?? all)
    const last = plain.split('/').at(-1) ?? ''
    return (queries[last] ?? ['', 'f=html']).map((query) => (query === '' ? plain : `${plain}?${query}`))
  })
}

async function serve(env: Record<string, string>): Promise<TestApp> {
  const server = await createTestApp({ env })
  const payload = { workspace: { name: 'open', public: true } }
  await server.app.inject({ method: 'POST', url: '/rest/workspaces', headers: server.admin, payload })
  await importPoints(server, { workspace: 'open', name: 'places' })
  return server
}

const mayBeShared = (value: unknown): boolean => !/\b(?:private|no-store)\b/.test(String(value ?? ''))

/**
 * Returns the URLs whose response contains the forged host, and those of them that shared caches may store.
 */
async function answersNaming(server: TestApp) {
  const naming: string[] = []
  const shared: string[] = []
  for (const url of publicAddresses()) {
    const reply = await server.app.inject({ url, headers: { host: forged } })
    if (reply.statusCode >= 400) continue
    if (!`${JSON.stringify(reply.headers)}${reply.body}`.includes(forged)) continue
    naming.push(url)
    if (mayBeShared(reply.headers['cache-control'])) shared.push(url)
  }
  return { naming, shared }
}

describe('a forged Host header', () => {
  const tileJson = '/tiles/open:places'
  const shared = /^public, max-age=300, s-maxage=60$/
  let server: TestApp
  before(async () => {
    server = await serve({ TERRANE_TRUSTED_PROXIES: '10.0.0.1' })
  })
  after(() => server.close())
  const cacheOf = async (url: string, headers: Record<string, string>, remoteAddress = '192.0.2.1') => {
    const reply = await server.app.inject({ url, headers: { host: forged, ...headers }, remoteAddress })
    assert.equal(reply.statusCode, 200, reply.body)
    return String(reply.headers['cache-control'])
  }

  it('is in no answer that shared caches may keep', { timeout: 600_000 }, async () => {
    const found = await answersNaming(server)
    assert.deepEqual(found.shared, [])
    for (const url of [tileJson, `${tileJson}/style.json`, '/ogc', '/rest/layers', '/assets/basemap.json'])
      assert.ok(found.naming.includes(url), `${url} has no links`)
    assert.ok(found.naming.length > 80, `${found.naming.length} answers with links`)
  })

  it('leaves answers without links to shared caches, and answers with them to the client', async () => {
    assert.match(await cacheOf(`${tileJson}/0/0/0.mvt`, {}), shared)
    const first = await server.app.inject({ url: tileJson, headers: { host: forged } })
    assert.equal(first.headers['cache-control'], 'private, max-age=300')
    const headers = { host: forged, 'if-none-match': String(first.headers.etag) }
    const again = await server.app.inject({ url: tileJson, headers })
    assert.deepEqual([again.statusCode, again.headers['cache-control']], [304, 'private, max-age=300'])
  })

  it('is told from the host that a trusted proxy names', async () => {
    const named = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-host': 'maps.example.org' }
    assert.match(await cacheOf(tileJson, named, '10.0.0.1'), shared)
    assert.match(await cacheOf(tileJson, named, '10.0.0.2'), /^private/)
    assert.match(await cacheOf(tileJson, { 'x-forwarded-for': '192.0.2.7' }, '10.0.0.1'), /^private/)
  })

  it('is named nowhere where the public address is set, which shared caches may keep', {
    timeout: 600_000,
  }, async () => {
    const other = await serve({ TERRANE_PUBLIC_URL: 'https://maps.example.org' })
    try {
      assert.deepEqual((await answersNaming(other)).naming, [])
      const reply = await other.app.inject({ url: tileJson, headers: { host: forged } })
      assert.match(String(reply.headers['cache-control']), shared)
    } finally {
      await other.close()
    }
  })
})
