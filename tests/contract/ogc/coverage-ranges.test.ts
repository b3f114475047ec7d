import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { shareImporter, startClient } from '../../support/importer-client.ts'
import { gdal, importRaster, rasterFixtures } from '../../support/rasters.ts'

const run = promisify(execFile)
const cogType = 'image/tiff; application=geotiff; profile=cloud-optimized'
const source = join(rasterFixtures, 'RGB.byte.tif')

/** The same raster as a GeoTIFF in strips, as a cloud-optimized GeoTIFF and as a PNG; and a table. */
async function startCoverages() {
  const client = await startClient()
  const incoming = (name: string): string => join(client.server.dataDir, 'incoming', name)
  client.provide('raster/RGB.byte.tif', 'strips.tif')
  gdal('gdal_translate', '-q', '-of', 'COG', '-co', 'BLOCKSIZE=128', source, incoming('tiles.tif'))
  gdal('gdal_translate', '-q', '-of', 'PNG', '-co', 'WORLDFILE=YES', source, incoming('picture.png'))
  for (const name of ['strips.tif', 'tiles.tif', 'picture.png']) await importRaster(client, name)
  writeFileSync(
    incoming('places.geojson'),
    '{"type":"Feature","properties":{"name":"Ulm"},"geometry":{"type":"Point","coordinates":[10,48.4]}}',
  )
  await client.call('POST', '?exec=true', { import: { data: { type: 'file', file: 'places.geojson' } } })
  return client
}

describe('a coverage as a file with ranges', () => {
  const shared = shareImporter(startCoverages)
  const request = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') => {
    const { app, admin } = shared().server
    return app.inject({ method, url: `/ogc/collections/default:${path}`, headers: { ...admin, ...headers } })
  }

  it('is the stored file if that is a GeoTIFF, and says whether it is cloud-optimized', async () => {
    for (const [name, type] of [
      ['strips', 'image/tiff; application=geotiff'],
      ['tiles', cogType],
    ] as const) {
      const reply = await request(`${name}/coverage`)
      assert.deepEqual([reply.statusCode, reply.headers['content-type']], [200, type])
      assert.deepEqual(
        reply.rawPayload,
        readFileSync(join(shared().server.dataDir, 'incoming', `${name}.tif`)),
      )
      const head = await request(`${name}/coverage`, {}, 'HEAD')
      assert.deepEqual(
        ['content-length', 'etag', 'accept-ranges'].map((one) => head.headers[one]),
        [String(reply.rawPayload.length), reply.headers['etag'], 'bytes'],
      )
      assert.equal(head.rawPayload.length, 0)
    }
  })

  it('is sent in ranges of the same file only', async () => {
    const whole = await request('tiles/coverage')
    const etag = String(whole.headers['etag'])
    const part = await request('tiles/coverage', { range: 'bytes=16-99', 'if-range': etag })
    assert.equal(part.statusCode, 206)
    assert.equal(part.headers['content-range'], `bytes 16-99/${whole.rawPayload.length}`)
    assert.deepEqual(part.rawPayload, whole.rawPayload.subarray(16, 100))
    assert.equal(
      (await request('tiles/coverage', { range: 'bytes=16-99', 'if-range': '"other"' })).statusCode,
      200,
    )
    assert.equal((await request('tiles/coverage', { 'if-none-match': etag })).statusCode, 304)
    const beyond = await request('tiles/coverage', { range: 'bytes=999999999-' })
    assert.deepEqual(
      [beyond.statusCode, beyond.headers['content-range']],
      [416, `bytes */${whole.rawPayload.length}`],
    )
  })

  it('is converted once where the layout is required, and its copy has ranges too', async () => {
    const accept = cogType
    for (const [path, headers] of [
      ['strips/coverage?f=cog', {}],
      ['strips/coverage', { accept }],
      ['picture/coverage', {}],
    ] as const) {
      const first = await request(path, headers)
      assert.deepEqual(
        [first.statusCode, first.headers['content-type']],
        [200, cogType],
        first.body.slice(0, 200),
      )
      assert.match(first.rawPayload.toString('latin1', 0, 300), /LAYOUT=IFDS_BEFORE_DATA/)
      const etag = String(first.headers['etag'])
      const part = await request(path, { ...headers, range: 'bytes=0-99', 'if-range': etag })
      assert.deepEqual([part.statusCode, part.headers['etag']], [206, etag])
      assert.deepEqual(part.rawPayload, first.rawPayload.subarray(0, 100))
    }
    const [byName, byType] = [
      await request('strips/coverage?f=cog'),
      await request('strips/coverage', { accept }),
    ]
    assert.equal(byName.headers['etag'], byType.headers['etag'])
  })

  it('has the cells of its source for GDAL, which reads it over HTTP', async () => {
    const { app, admin } = shared().server
    const publish = (name: string, isPublic: boolean) =>
      app.inject({
        method: 'PUT',
        url: `/rest/layers/default:${name}`,
        headers: admin,
        payload: { layer: { public: isPublic } },
      })
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    const env = { ...process.env, CPL_VSIL_CURL_USE_HEAD: 'YES', GDAL_DISABLE_READDIR_ON_OPEN: 'EMPTY_DIR' }
    const sums = async (dataset: string): Promise<unknown> => {
      const { stdout } = await run('gdalinfo', ['-json', '-checksum', dataset], { env, maxBuffer: 2 ** 24 })
      const { size, geoTransform, bands } = JSON.parse(stdout) as {
        size: number[]
        geoTransform: number[]
        bands: { checksum: number }[]
      }
      return { size, geoTransform, checksums: bands.map(({ checksum }) => checksum) }
    }
    const expected = await sums(source)
    for (const [name, query] of [
      ['strips', ''],
      ['tiles', ''],
      ['strips', '?f=cog'],
    ] as const) {
      await publish(name, true)
      const url = `${address}/ogc/collections/default:${name}/coverage${query}`
      assert.deepEqual(await sums(`/vsicurl/${url}`), expected, `${name}${query}`)
      await publish(name, false)
    }
  })

  it('is refused in other formats, of other layers and to others', async () => {
    for (const [path, headers, status, code] of [
      ['strips/coverage?f=png', {}, 400, 'unknown-format'],
      ['strips/coverage?bbox=0,0,1,1', {}, 400, 'unknown-parameter'],
      ['strips/coverage', { accept: 'application/json' }, 406, 'not-acceptable'],
      ['places/coverage', {}, 404, 'no-coverage'],
      ['none/coverage', {}, 404, 'unknown-collection'],
    ] as const) {
      const reply = await request(path, headers)
      assert.deepEqual([reply.statusCode, JSON.parse(reply.body).code], [status, code], path)
    }
    const anonymous = await shared().server.app.inject('/ogc/collections/default:strips/coverage')
    assert.equal(anonymous.statusCode, 401)
  })
})
