import assert from 'node:assert/strict'
import { linkSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'
import { gdal, importRaster, rasterBytes, rasterFixtures, serveRaster } from '../../support/rasters.ts'

const collection = '/ogc/collections/default%3ARGB_byte'
const file = `${collection}/file/RGB.byte.tif`
const whole = rasterBytes('RGB.byte.tif')

async function request(
  { server }: ImporterClient,
  url: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' | 'POST' = 'GET',
) {
  return server.app.inject({ method, url, headers: { ...server.admin, ...headers } })
}

async function getJson(client: ImporterClient, url: string): Promise<Json> {
  return JSON.parse((await request(client, url)).body) as Json
}

describe('a coverage as a collection', () => {
  it('tells extent, CRS, cells and bands, and links to its file instead of items', async (test) => {
    const client = await serveRaster(test)
    const coverage = await getJson(client, collection)
    assert.equal(coverage.itemType, 'coverage')
    const [bbox = []] = listOf<number[]>(coverage.extent?.spatial?.bbox)
    const expected = [-78.95865, 23.5649912, -76.5749237, 25.5508738]
    assert.equal(bbox.length, 4)
    for (const [index, value] of bbox.entries())
      assert.ok(Math.abs(value - (expected[index] ?? 0)) < 0.001, `${index}: ${value}`)
    assert.equal(coverage.storageCrs, 'http://www.opengis.net/def/crs/EPSG/0/32618')
    assert.deepEqual(coverage.crs, ['http://www.opengis.net/def/crs/EPSG/0/32618'])
    assert.deepEqual(coverage.size, { width: 791, height: 718 })
    assert.deepEqual(coverage.resolution, { x: 300.0379266750948, y: 300.041782729805 })
    assert.deepEqual(coverage.bands, [
      { name: 'band1', type: 'Byte', noData: 0, color: 'Red' },
      { name: 'band2', type: 'Byte', noData: 0, color: 'Green' },
      { name: 'band3', type: 'Byte', noData: 0, color: 'Blue' },
    ])
    assert.deepEqual(coverage.overviews, [])
    const links = listOf(coverage.links)
    assert.deepEqual(
      links.map(({ rel }) => rel),
      ['self', 'enclosure'],
    )
    assert.deepEqual(links[1], {
      rel: 'enclosure',
      type: 'image/tiff; application=geotiff',
      title: 'RGB.byte.tif',
      href: `http://localhost:80${file}`,
      length: whole.length,
    })
  })

  it('stands in the list of collections, and has neither items nor a schema of features', async (test) => {
    const client = await serveRaster(test)
    const { collections } = await getJson(client, '/ogc/collections')
    assert.deepEqual(
      listOf(collections).map(({ id, itemType }) => [id, itemType]),
      [['default:RGB_byte', 'coverage']],
    )
    for (const path of ['items', 'items/1', 'schema']) {
      const reply = await request(client, `${collection}/${path}`)
      assert.equal(reply.statusCode, 404)
      assert.match(String(reply.headers['content-type']), /problem\+json/)
      assert.equal(JSON.parse(reply.body).code, 'no-features')
    }
  })

  it('tells no-data values that JSON has no number for', async (test) => {
    const client = await startImporter(test)
    const incoming = join(client.server.dataDir, 'incoming')
    for (const value of ['nan', 'inf', '-inf']) {
      const name = `value${value.replace('-', '_')}`
      const target = join(incoming, `${name}.tif`)
      gdal(
        'gdal_translate',
        '-q',
        '-a_srs',
        'EPSG:32618',
        '-a_nodata',
        value,
        join(rasterFixtures, 'float_nan.tif'),
        target,
      )
      await importRaster(client, `${name}.tif`)
      const { bands } = await getJson(client, `/ogc/collections/default:${name}`)
      const word = { nan: 'NaN', inf: 'Infinity', '-inf': '-Infinity' }[value]
      assert.deepEqual(bands, [{ name: 'band1', type: 'Float32', noData: word, color: 'Gray' }])
    }
  })

  it('is read by those who may read its workspace', async (test) => {
    const client = await serveRaster(test)
    const anonymous = () => client.server.app.inject({ method: 'GET', url: file })
    assert.equal((await anonymous()).statusCode, 401)
    await client.server.app.inject({
      method: 'PUT',
      url: '/rest/workspaces/default',
      headers: client.server.admin,
      payload: { workspace: { public: true } },
    })
    assert.equal((await anonymous()).statusCode, 200)
  })
})

describe('the file of a coverage', () => {
  it('is sent whole, with its type, length and tag', async (test) => {
    const client = await serveRaster(test)
    const reply = await request(client, file)
    assert.equal(reply.statusCode, 200)
    assert.deepEqual(reply.rawPayload, whole)
    assert.equal(reply.headers['content-type'], 'image/tiff; application=geotiff')
    assert.equal(reply.headers['content-length'], String(whole.length))
    assert.equal(reply.headers['accept-ranges'], 'bytes')
    assert.match(String(reply.headers.etag), /^"[\w-]+"$/)
    const head = await request(client, file, { range: 'bytes=0-3' }, 'HEAD')
    assert.equal(head.statusCode, 200)
    assert.equal(head.headers['content-length'], String(whole.length))
    assert.equal(head.headers['accept-ranges'], 'bytes')
    assert.equal(head.rawPayload.length, 0)
  })

  it('is sent in ranges', async (test) => {
    const client = await serveRaster(test)
    for (const [range, start, end] of [
      ['bytes=0-3', 0, 3],
      ['bytes=16384-32767', 16_384, 32_767],
      ['bytes=-100', whole.length - 100, whole.length - 1],
      [`bytes=${whole.length - 10}-`, whole.length - 10, whole.length - 1],
      [`bytes=1000-${whole.length * 2}`, 1000, whole.length - 1],
    ] as const) {
      const reply = await request(client, file, { range })
      assert.equal(reply.statusCode, 206, range)
      assert.equal(reply.headers['content-range'], `bytes ${start}-${end}/${whole.length}`)
      assert.equal(reply.headers['content-length'], String(end - start + 1))
      assert.deepEqual(reply.rawPayload, whole.subarray(start, end + 1))
    }
    const behind = await request(client, file, { range: `bytes=${whole.length}-` })
    assert.equal(behind.statusCode, 416)
    assert.equal(behind.headers['content-range'], `bytes */${whole.length}`)
    assert.equal((await request(client, file, { range: 'bytes=0-1,4-5' })).statusCode, 200)
  })

  it('is not sent again to those who have it, and never in ranges of another file', async (test) => {
    const client = await serveRaster(test)
    const { etag = '', 'last-modified': changedAt = '' } = (await request(client, file, {}, 'HEAD')).headers
    assert.equal((await request(client, file, { 'if-none-match': String(etag) })).statusCode, 304)
    assert.equal((await request(client, file, { 'if-modified-since': String(changedAt) })).statusCode, 304)
    const range = 'bytes=0-3'
    for (const condition of [etag, changedAt])
      assert.equal((await request(client, file, { range, 'if-range': String(condition) })).statusCode, 206)
    const path = join(client.server.dataDir, 'incoming', 'RGB.byte.tif')
    writeFileSync(`${path}.new`, rasterBytes('world.byte.tif'))
    renameSync(`${path}.new`, path)
    const changed = await request(client, file, { range, 'if-range': String(etag) })
    assert.equal(changed.statusCode, 200)
    assert.deepEqual(changed.rawPayload, rasterBytes('world.byte.tif'))
    assert.notEqual(changed.headers.etag, etag)
  })

  it('comes with what belongs to it and nothing else of its folder', async (test) => {
    const client = await startImporter(test)
    const incoming = join(client.server.dataDir, 'incoming')
    const source = join(rasterFixtures, 'RGB.byte.tif')
    gdal('gdal_translate', '-q', '-of', 'JPEG', '-co', 'WORLDFILE=YES', source, join(incoming, 'photo.jpg'))
    writeFileSync(join(incoming, 'photo.csv'), 'secret')
    writeFileSync(join(incoming, 'other.prj'), 'secret')
    symlinkSync(fileURLToPath(import.meta.url), join(incoming, 'photo.prj'))
    linkSync(join(incoming, 'photo.wld'), join(incoming, 'photo.jgw'))
    await importRaster(client, 'photo.jpg')
    const ask = (name: string) =>
      request(client, `/ogc/collections/default%3Aphoto/file/${encodeURIComponent(name)}`)
    const image = await ask('photo.jpg')
    assert.equal(image.headers['content-type'], 'image/jpeg')
    const world = await ask('photo.wld')
    assert.equal(world.body, readFileSync(join(incoming, 'photo.wld'), 'utf8'))
    assert.equal(world.headers['content-type'], 'text/plain; charset=utf-8')
    assert.equal((await ask('photo.jgw')).statusCode, 200)
    assert.match((await ask('photo.jpg.aux.xml')).body, /PAMDataset/)
    for (const name of [
      'photo.csv',
      'other.prj',
      'photo.prj',
      '../photo.jpg',
      'photo.tfw',
      'photo',
      '',
      'photo.jpg/..',
    ])
      assert.equal((await ask(name)).statusCode, 404, name)
  })

  it('that is gone is told from one that never was', async (test) => {
    const client = await serveRaster(test)
    renameSync(
      join(client.server.dataDir, 'incoming', 'RGB.byte.tif'),
      join(client.server.dataDir, 'gone.tif'),
    )
    assert.equal((await request(client, file)).statusCode, 503)
    const links = listOf((await getJson(client, collection)).links)
    assert.deepEqual(
      links.map(({ rel }) => rel),
      ['self'],
    )
    assert.equal((await request(client, file, {}, 'POST')).statusCode, 405)
  })
})
