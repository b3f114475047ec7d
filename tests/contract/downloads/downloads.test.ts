import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { downloaded } from '../../support/downloaded.ts'
import { needsGdal } from '../../support/gdal-files.ts'
import { convertedVector } from '../../support/gdal-session.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { until } from '../../support/until.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const points: Points = Array.from({ length: 500 }, (_, at) => [`p${at}`, -179 + at * 0.7, 80 * Math.sin(at)])
const formats = ['gpkg', 'geojson', 'csv', 'shp', 'fgb', 'kml']

interface Download {
  id: string
  state: string
  href?: string
  losses?: string[]
}

interface Feature {
  properties: Record<string, unknown>
  geometry: { coordinates: number[] } | null
}

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

/** The features of a file as GDAL reads them. */
function readByGdal(t: TestContext, format: string, bytes: Uint8Array): Feature[] {
  const path = join(temporaryFolder(t), `a.${format === 'shp' ? 'shz' : format}`)
  writeFileSync(path, bytes)
  const args = ['-f', 'GeoJSON', '-t_srs', 'EPSG:4326', '-lco', 'COORDINATE_PRECISION=15']
  const isCsv = format === 'csv'
  const reported = convertedVector(
    path,
    [...args, ...(isCsv ? ['-s_srs', 'EPSG:4326'] : [])],
    isCsv ? ['GEOM_POSSIBLE_NAMES=WKT'] : [],
  )
  return (JSON.parse(reported) as { features: Feature[] }).features
}

for (const [name, environment] of Object.entries(shapes))
  describe(`downloads over ${name}`, needsGdal, () => {
    let server: TestApp
    const get = (url: string, headers: Record<string, string> = server.admin) =>
      server.app.inject({ url, headers })
    const download = (query: string, headers: Record<string, string> = server.admin) =>
      downloaded(server, `/ogc/collections/default:dots/download?${query}`, headers)
    const show = async (id: string): Promise<Download> =>
      (await get(`/rest/downloads/${id}`)).json<{ download: Download }>().download
    before(async () => {
      server = await createTestApp({ env: await environment() })
      await importPoints(server, { name: 'dots', points })
    })
    after(() => server.close())

    for (const format of formats)
      it(`are ${format} that GDAL reads, value by value`, async (t) => {
        const reply = await download(`f=${format}`)
        assert.equal(reply.statusCode, 200, reply.body.slice(0, 500))
        const features = readByGdal(t, format, reply.rawPayload)
        const found = features.map(({ properties, geometry }) => [
          properties['name'] ?? properties['Name'],
          ...(geometry?.coordinates.slice(0, 2).map((one) => one.toFixed(9)) ?? []),
        ])
        const byName = (a: unknown[], b: unknown[]): number => (String(a[0]) < String(b[0]) ? -1 : 1)
        const expected = points.map(([text, x, y]) => [text, x.toFixed(9), y.toFixed(9)])
        assert.deepEqual(found.toSorted(byName), expected.toSorted(byName))
      })

    it('are made in the background where the client prefers that, with their state and a range of the file', async (t) => {
      const url = '/ogc/collections/default:dots/download?f=gpkg'
      const reply = await get(url, { ...server.admin, prefer: 'respond-async' })
      assert.equal(reply.statusCode, 202, reply.body)
      const { id } = reply.json<{ download: Download }>().download
      assert.match(id, /^[0-9a-f]{32}$/)
      assert.ok(String(reply.headers.location).endsWith(`/rest/downloads/${id}`))
      await until(async () => (await show(id)).state === 'COMPLETE')
      const { href = '' } = await show(id)
      const file = await get(new URL(href).pathname)
      assert.equal(readByGdal(t, 'gpkg', file.rawPayload).length, points.length)
      const part = await get(new URL(href).pathname, { ...server.admin, range: 'bytes=0-14' })
      assert.equal(part.statusCode, 206)
      assert.equal(part.body, 'SQLite format 3')
      const gone = await server.app.inject({
        method: 'DELETE',
        url: `/rest/downloads/${id}`,
        headers: server.admin,
      })
      assert.equal(gone.statusCode, 200, gone.body)
      assert.equal((await get(`/rest/downloads/${id}`)).statusCode, 404)
    })

    it('are of what box, filter and properties leave, in a CRS of choice', async (t) => {
      const filter = encodeURIComponent("name LIKE 'p1%'")
      const reply = await download(`f=geojson&bbox=-180,-90,0,90&filter=${filter}&properties=&crs=EPSG:3857`)
      assert.equal(reply.statusCode, 200, reply.body)
      assert.equal(reply.headers['content-crs'], '<http://www.opengis.net/def/crs/EPSG/0/3857>')
      const expected = points.filter(([text, x]) => text.startsWith('p1') && x <= 0)
      const features = readByGdal(t, 'geojson', reply.rawPayload)
      assert.equal(features.length, expected.length)
      assert.deepEqual(features[0]?.properties, {})
      for (const [place, { geometry }] of features.entries())
        for (const axis of [0, 1])
          assert.ok(
            Math.abs(Number(geometry?.coordinates[axis]) - Number(expected[place]?.[axis + 1])) < 1e-9,
          )
    })

    it('are read by everyone while the layer is public, by its name in its own letters, and go with it', async () => {
      await importPoints(server, { name: '木々', points: points.slice(0, 3) })
      const path = `/rest/layers/${encodeURIComponent('default:木々')}`
      const change = (payload: object) =>
        server.app.inject({ method: 'PUT', url: path, headers: server.admin, payload })
      assert.equal((await change({ layer: { public: true } })).statusCode, 200)
      const url = `/ogc/collections/${encodeURIComponent('default:木々')}/download?f=geojson`
      const reply = await downloaded(server, url, {})
      assert.equal(reply.statusCode, 200, reply.body)
      assert.equal(
        reply.headers['content-disposition'],
        `attachment; filename="default-__.geojson"; filename*=UTF-8''default-%E6%9C%A8%E3%80%85.geojson`,
      )
      const begin = async (): Promise<string> =>
        (await get(url, { prefer: 'respond-async' })).json<{ download: Download }>().download.id
      const [first, second] = [await begin(), await begin()]
      await until(async () => (await show(first)).state === 'COMPLETE')
      assert.equal((await get(`/rest/downloads/${first}/file`, {})).statusCode, 200)
      const removed = await server.app.inject({ method: 'DELETE', url: `/rest/downloads/${second}` })
      assert.equal(removed.statusCode, 200, removed.body)
      assert.equal((await change({ layer: { public: false } })).statusCode, 200)
      for (const address of [`/rest/downloads/${first}`, `/rest/downloads/${first}/file`])
        assert.equal((await get(address, {})).statusCode, 404)
      assert.equal((await get(url, {})).statusCode, 401)
      await server.app.inject({ method: 'DELETE', url: `${path}?recurse=true`, headers: server.admin })
      assert.equal((await get(`/rest/downloads/${first}`)).statusCode, 404)
    })

    it('are refused where they name what there is not', async () => {
      for (const query of [
        'f=doc',
        'f=tif',
        'properties=nope',
        'crs=EPSG:0',
        'filter=nope=1',
        'f=kml&crs=EPSG:3857',
      ])
        assert.equal((await download(query)).statusCode, 400, query)
      assert.equal((await download('version=77')).statusCode, 404)
      assert.equal((await download('f=csv', {})).statusCode, 401)
    })
  })
