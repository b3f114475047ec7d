import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { emptyPicture } from '../../../src/render/pictures/encode-picture.ts'
import { startImporter } from '../../support/importer-client.ts'
import { pictureTile } from '../../support/raster-tiles.ts'
import { gdal, importRaster, rasterFixtures } from '../../support/rasters.ts'

const rgb = join(rasterFixtures, 'RGB.byte.tif')
const ramp = (type: string): string =>
  `<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"><NamedLayer><Name>t</Name><UserStyle><FeatureTypeStyle><Rule><RasterSymbolizer><Opacity>0.5</Opacity><ChannelSelection><GrayChannel><SourceChannelName>2</SourceChannelName></GrayChannel></ChannelSelection><ColorMap type="${type}"><ColorMapEntry color="#440154" quantity="10"/><ColorMapEntry color="#fde725" quantity="200"/></ColorMap></RasterSymbolizer></Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`

interface Band {
  band: number
  min: number
  max: number
  low: number
  high: number
  histogram: number[]
  values?: number[]
}

describe('styles of rasters that are tried', () => {
  it('draw the tile that they draw when they are kept, and nothing is kept of them', async (test) => {
    const client = await startImporter(test)
    const { app, admin, dataDir } = client.server
    gdal('gdal_translate', '-q', rgb, join(dataDir, 'incoming/rgb.tif'))
    gdal('gdal_translate', '-q', '-b', '1', rgb, join(dataDir, 'incoming/one.tif'))
    await importRaster(client, 'rgb.tif')
    const place = 'default:rgb/9/144/219.png'
    await pictureTile(client, place)
    const tried = (
      document: unknown,
      format = 'sld',
      path = place,
      headers: Record<string, string> = admin,
    ) =>
      app.inject({ method: 'POST', url: `/tiles/${path}`, headers, payload: { style: { format, document } } })
    for (const type of ['ramp', 'intervals', 'values']) {
      const reply = await tried(ramp(type))
      assert.equal(reply.statusCode, 200, reply.body)
      assert.equal(reply.headers['cache-control'], 'no-store')
      const style = { name: type, format: 'sld', document: ramp(type) }
      const url = '/rest/workspaces/default/styles'
      const made = await app.inject({ method: 'POST', url, headers: admin, payload: { style } })
      assert.equal(made.statusCode, 201, made.body)
      const kept = await app.inject({ url: `/tiles/${place}?style=${type}`, headers: admin })
      assert.ok(kept.rawPayload.equals(reply.rawPayload), type)
    }
    const outside = await tried(ramp('ramp'), 'sld', 'default:rgb/9/0/0.png')
    assert.equal(outside.statusCode, 200, outside.body)
    assert.deepEqual(outside.rawPayload, emptyPicture('png', 256))
    assert.equal((await tried('<no/>')).json<{ code: string }>().code, 'invalid-style')
    assert.equal((await tried({ version: 8, layers: [] }, 'maplibre')).statusCode, 200)
    assert.equal((await tried('x'.repeat(300_000))).statusCode, 413)
    assert.equal((await tried(ramp('ramp'), 'sld', place, {})).statusCode, 401)
    assert.equal((await tried(ramp('ramp'), 'sld', 'default:none/0/0/0.png')).statusCode, 404)
  })

  it('know what the bands hold, and which colours the file has for its values', async (test) => {
    const client = await startImporter(test)
    const { app, admin, dataDir } = client.server
    gdal('gdal_translate', '-q', rgb, join(dataDir, 'incoming/rgb.tif'))
    // A few classes with a palette of the file, on the cells of web mercator: the server reads every cell.
    const place = ['-a_srs', 'EPSG:3857', '-a_ullr', '0', '78271.51696402048', '78271.51696402048', '0']
    const classes = [
      '-outsize',
      '128',
      '128',
      '-scale',
      '0',
      '255',
      '0',
      '4',
      '-ot',
      'Byte',
      '-b',
      '1',
      '-a_nodata',
      'none',
    ]
    gdal('gdal_translate', '-q', ...classes, ...place, rgb, join(dataDir, 'incoming/classes.tif'))
    const heights = ['-ot', 'Float32', '-scale', '0', '255', '-1.5e30', '3e30', '-b', '1']
    gdal('gdal_translate', '-q', ...heights, rgb, join(dataDir, 'incoming/heights.tif'))
    for (const name of ['rgb.tif', 'classes.tif', 'heights.tif']) await importRaster(client, name)
    const bands = async (name: string): Promise<Band[]> => {
      await pictureTile(client, `default:${name}/0/0/0.png`)
      const reply = await app.inject({ url: `/tiles/default:${name}/bands.json`, headers: admin })
      assert.equal(reply.statusCode, 200, reply.body)
      return reply.json<{ bands: Band[] }>().bands
    }
    const three = await bands('rgb')
    assert.deepEqual(
      three.map(({ band }) => band),
      [1, 2, 3],
    )
    for (const { min, max, low, high, histogram } of [...three, ...(await bands('heights'))]) {
      assert.ok(min <= low && low < high && high <= max, `${min} ${low} ${high} ${max}`)
      assert.equal(histogram.length, 64)
      assert.ok(histogram.every((count) => Number.isInteger(count)))
    }
    const [few] = await bands('classes')
    assert.deepEqual(few?.values, [0, 1, 2, 3, 4])
    assert.equal(
      few?.histogram.reduce((sum, count) => sum + count, 0),
      128 * 128,
    )
    assert.equal((await app.inject({ url: '/tiles/default:rgb/bands.json' })).statusCode, 404)
  })
})
