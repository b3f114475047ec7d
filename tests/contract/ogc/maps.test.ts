import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { untilTagged, untilUnchanged } from '../../support/known-answers.ts'
import { createMosaic, runMosaic, startMosaics } from '../../support/mosaics.ts'
import { differing, pictureTile } from '../../support/raster-tiles.ts'
import { gdal, importRaster, rasterFixtures } from '../../support/rasters.ts'
import { repeating } from '../../support/until.ts'

const rgb = join(rasterFixtures, 'RGB.byte.tif')
const half = 20037508.342789244
const epsg = (code: number) => `http://www.opengis.net/def/crs/EPSG/0/${code}`

interface Picture {
  status: number
  headers: Record<string, unknown>
  body: string
  rgba: Uint8Array
  width: number
  height: number
}

/** Repeats the request for a map until the copies exist. */
async function mapOf(
  { server: { app, admin } }: ImporterClient,
  layer: string,
  query = '',
  headers: Record<string, string> = {},
): Promise<Picture> {
  for (const hasTime = repeating(); ; ) {
    const url = `/ogc/collections/${layer}/map?${query}`
    const reply = await app.inject({ url, headers: { ...admin, ...headers } })
    const { statusCode: status, body } = reply
    if (status === 503 && (await hasTime())) continue
    if (status !== 200)
      return { status, headers: reply.headers, body, rgba: new Uint8Array(), width: 0, height: 0 }
    const { data, info } = await sharp(reply.rawPayload)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    return { status, headers: reply.headers, body, rgba: data, width: info.width, height: info.height }
  }
}

async function serve(test: TestContext): Promise<{ client: ImporterClient; folder: string }> {
  const client = await startImporter(test)
  const folder = join(client.server.dataDir, 'incoming')
  gdal('gdal_translate', '-q', rgb, join(folder, 'rgb.tif'))
  await importRaster(client, 'rgb.tif')
  return { client, folder }
}

/** The same rectangle as GDAL warps it from the original. */
async function warped(
  folder: string,
  [srs, box, width, height]: readonly [string, readonly number[], number, number],
): Promise<Uint8Array> {
  const target = join(folder, `warped-${srs.replace(':', '-')}-${width}.tif`)
  const grid = ['-t_srs', srs, '-te', ...box.map(String), '-ts', String(width), String(height)]
  gdal('gdalwarp', '-q', ...grid, '-dstalpha', '-overwrite', '-r', 'bilinear', rgb, target)
  return sharp(target).ensureAlpha().raw().toBuffer()
}

describe('maps of a coverage', () => {
  it('are the cells of tiles where they lie on those', async (test) => {
    const { client } = await serve(test)
    const [z, x, y] = [9, 144, 219]
    const size = (2 * half) / 2 ** z
    const box = [x * size - half, half - (y + 1) * size, (x + 1) * size - half, half - y * size]
    const tile = await pictureTile(client, `default:rgb/${z}/${x}/${y}.png`)
    const common = `crs=${epsg(3857)}&bbox-crs=${epsg(3857)}&width=256&height=256`
    const map = await mapOf(client, 'default:rgb', `${common}&bbox=${box.join()}`)
    assert.equal(map.status, 200, map.body)
    const { color, alpha } = differing(map.rgba, tile.rgba, 1)
    assert.deepEqual([color, alpha], [0, 0])
    assert.equal(map.headers['content-crs'], `<${epsg(3857)}>`)
    assert.deepEqual(String(map.headers['content-bbox']).split(',').map(Number), box)
  })

  it('have the colours that GDAL warps, in each CRS that is offered', async (test) => {
    const { client, folder } = await serve(test)
    const cases: [crs: string, srs: string, box: number[], bboxCrs: string][] = [
      [
        'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
        'EPSG:4326',
        [-78.5, 24, -77, 25.2],
        '-78.5,24,-77,25.2',
      ],
      [epsg(4326), 'EPSG:4326', [-78.5, 24, -77, 25.2], '24,-78.5,25.2,-77'],
      [epsg(3857), 'EPSG:3857', [-8740000, 2750000, -8580000, 2880000], '-8740000,2750000,-8580000,2880000'],
      [epsg(32618), 'EPSG:32618', [150000, 2650000, 300000, 2800000], '150000,2650000,300000,2800000'],
    ]
    for (const [crs, srs, box, requested] of cases) {
      const [width, height] = [400, 320]
      const map = await mapOf(
        client,
        'default:rgb',
        `crs=${crs}&bbox-crs=${crs}&bbox=${requested}&width=${width}&height=${height}`,
      )
      assert.equal(map.status, 200, map.body)
      assert.deepEqual([map.width, map.height], [width, height])
      const expected = await warped(folder, [srs, box, width, height])
      const { color, alpha } = differing(map.rgba, expected, 24)
      assert.ok(color < 0.02, `${srs}: ${color} of the colours`)
      assert.ok(alpha < 0.02, `${srs}: ${alpha} of the edges`)
      const there = map.rgba.filter((part, at) => at % 4 === 3 && part > 0).length
      assert.ok(there > width * height * 0.2, `${srs}: ${there} pixels`)
      assert.equal(map.headers['content-bbox'], requested.split(',').map(Number).join())
    }
  })

  it('show the whole layer in its own CRS where nothing is asked, as wide as high', async (test) => {
    const { client } = await serve(test)
    const { app, admin } = client.server
    const response = await app.inject({ url: '/ogc/collections/default:rgb', headers: admin })
    assert.match(String(response.headers['link']), /default%3Argb\/map>; rel="http:[^"]*\/map"/)
    const { paths } = (await app.inject('/ogc/api')).json<{ paths: Record<string, object> }>()
    assert.ok(paths['/collections/{collectionId}/map'])
    const { conformsTo } = (await app.inject('/ogc/conformance')).json<{ conformsTo: string[] }>()
    for (const one of ['core', 'png', 'jpeg'])
      assert.ok(conformsTo.includes(`https://www.opengis.net/spec/ogcapi-maps-1/1.0/conf/${one}`), one)
    const whole = await mapOf(client, 'default:rgb')
    assert.equal(whole.width, 800)
    assert.equal(whole.headers['content-type'], 'image/png')
    assert.equal(whole.headers['content-crs'], `<${epsg(32618)}>`)
    const { width, height } = await mapOf(client, 'default:rgb', 'height=100&bbox=-79,24,-77,25')
    assert.ok(width > 150 && width < 250 && height === 100, `${width} ${height}`)
  })

  it('have a background as it is asked for, and JPEG has one at any rate', async (test) => {
    const { client } = await serve(test)
    const corner = async (query: string): Promise<number[]> => [
      ...(await mapOf(client, 'default:rgb', `bbox=10,10,11,11&width=8&height=8&${query}`)).rgba.slice(0, 4),
    ]
    assert.equal((await corner(''))[3], 0)
    assert.deepEqual(await corner('transparent=false'), [255, 255, 255, 255])
    assert.deepEqual(await corner('bgcolor=0x0000FF'), [0, 0, 255, 255])
    assert.deepEqual(await corner('bgcolor=Red'), [255, 0, 0, 255])
    assert.equal((await corner('bgcolor=0x0000FF&transparent=true'))[3], 0)
    const jpeg = await mapOf(client, 'default:rgb', 'bbox=10,10,11,11&width=8&height=8&f=jpeg')
    assert.equal(jpeg.headers['content-type'], 'image/jpeg')
    assert.deepEqual([...jpeg.rgba.slice(0, 4)], [255, 255, 255, 255])
    const webp = await mapOf(client, 'default:rgb', 'width=8&height=8', { accept: 'image/webp' })
    assert.equal(webp.headers['content-type'], 'image/webp')
  })

  it('refuse what is not offered by name, and what would take too much', async (test) => {
    const { client } = await serve(test)
    for (const [query, word] of [
      ['bbox=1,2,3', 'bbox'],
      ['bbox=1,1,1,2', 'bbox'],
      [`bbox=-500,-500,500,500&crs=${epsg(25832)}`, 'crs'],
      ['width=0', 'width'],
      ['width=5000', 'width'],
      ['width=4096&height=4096', 'pixels'],
      ['transparent=maybe', 'transparent'],
      ['bgcolor=mud', 'bgcolor'],
      ['f=svg', 'svg'],
      ['foo=1', 'foo'],
      ['crs=none', 'crs'],
    ] as const) {
      const { status, body } = await mapOf(client, 'default:rgb', query)
      assert.equal(status, 400, `${query} ${body.slice(0, 200)}`)
      assert.match(body, new RegExp(word), query)
    }
    assert.equal(
      (await mapOf(client, 'default:rgb', `bbox=-1e9,-90,1e9,90&width=64&crs=${epsg(3857)}`)).status,
      200,
    )
    assert.equal(
      (await mapOf(client, 'default:rgb', `bbox=-180,-90,180,90&width=64&crs=${epsg(4326)}`)).status,
      200,
    )
    assert.equal(
      (await mapOf(client, 'default:rgb', 'bbox=-78,24,-77.9999999999,24.0000001&width=9&height=9')).status,
      200,
    )
    const nobody = await client.server.app.inject('/ogc/collections/default:rgb/map')
    const absent = await client.server.app.inject('/ogc/collections/default:none/map')
    assert.deepEqual([nobody.statusCode, nobody.body], [401, absent.body])
  })

  it('are drawn by the style that the path names, and known by it', async (test) => {
    const { client } = await serve(test)
    const { app, admin } = client.server
    const document = `<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"><NamedLayer><Name>a</Name><UserStyle><FeatureTypeStyle><Rule><RasterSymbolizer><ChannelSelection><GrayChannel><SourceChannelName>1</SourceChannelName></GrayChannel></ChannelSelection></RasterSymbolizer></Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
    const made = await app.inject({
      method: 'POST',
      url: '/rest/workspaces/default/styles?name=second',
      headers: { ...admin, 'content-type': 'application/vnd.ogc.sld+xml' },
      payload: document,
    })
    assert.equal(made.statusCode, 201, made.body)
    await mapOf(client, 'default:rgb', 'width=64')
    const url = '/ogc/collections/default:rgb/styles/second/map?width=64'
    const reply = await untilTagged(() => app.inject({ url, headers: admin }))
    assert.equal(reply.statusCode, 200, reply.body)
    const rgba = await sharp(reply.rawPayload).ensureAlpha().raw().toBuffer()
    for (let at = 0; at < rgba.length; at += 4) assert.deepEqual(rgba[at], rgba[at + 1])
    const etag = String(reply.headers['etag'])
    await untilUnchanged(() => app.inject({ url, headers: { ...admin, 'if-none-match': etag } }))
    const missing = await app.inject({ url: url.replace('second', 'third'), headers: admin })
    assert.equal(missing.statusCode, 404)
  })
})

describe('maps of a mosaic', () => {
  it('show the newest time, another one, or all of an interval, and say which', async (test) => {
    const client = await startMosaics(test, 'GeoPackage')
    for (const [column, name] of ['a_2020', 'b_2021', 'c_2022'].entries())
      client.granule(`m/${name}.tif`, { column: column + 1 })
    const task = await runMosaic(client, await createMosaic(client, 'm', { mode: 'auto' }))
    assert.equal(task.state, 'COMPLETE', String(task.errorMessage))
    const requested = async (query: string): Promise<[count: number, time: unknown]> => {
      const { rgba, headers } = await mapOf(client, 'default:m', `width=90&height=30&${query}`)
      const count = rgba.filter((value, at) => at % 4 === 3 && value > 200).length
      return [count, headers['content-datetime']]
    }
    const [newest, newestTime] = await requested('')
    const [all, allTimes] = await requested('datetime=../..')
    const [second] = await requested('datetime=2021')
    assert.ok(newest > 0 && second > 0 && all > newest + second / 2, `${newest} ${second} ${all}`)
    assert.equal((await requested('datetime=1999'))[0], 0)
    assert.match(String(newestTime), /^2022-/)
    assert.match(String(allTimes), /^2020-.*\/2022-/)
    assert.equal((await mapOf(client, 'default:m', 'datetime=yesterday')).status, 400)
  })
})
