import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  copiesOf,
  differing,
  pictureTile,
  rgb,
  rgbTile,
  serveRasters,
  translated,
  warpedTile,
} from '../../support/raster-tiles.ts'
import { gdal, rasterFixtures } from '../../support/rasters.ts'

describe('tiles of a file on the cells of web mercator', () => {
  const aligned = [
    '-of',
    'COG',
    '-co',
    'TILING_SCHEME=GoogleMapsCompatible',
    '-co',
    'OVERVIEWS=IGNORE_EXISTING',
  ]
  const codings: Record<string, { options: string[]; most: number }> = {
    deflate: { options: ['-co', 'COMPRESS=DEFLATE', '-co', 'PREDICTOR=YES'], most: 0 },
    lzw: { options: ['-co', 'COMPRESS=LZW'], most: 0 },
    zstd: { options: ['-co', 'COMPRESS=ZSTD'], most: 0 },
    none: { options: ['-co', 'COMPRESS=NONE'], most: 0 },
    // Decoders of JPEG spread half a block's colours each in its own way.
    jpeg: { options: ['-co', 'COMPRESS=JPEG'], most: 12 },
  }

  it('are cut out of it, however it is coded, and no copy is made', async (test) => {
    const made = Object.entries(codings).map(
      ([name, { options }]) => [`${name}.tif`, translated(rgb, ...aligned, ...options)] as const,
    )
    const { client, folder } = await serveRasters(test, Object.fromEntries(made))
    for (const [name, { most }] of Object.entries(codings)) {
      const { rgba, status } = await pictureTile(client, `default:${name}/9/144/219.png`)
      assert.equal(status, 200, name)
      const expected = await warpedTile(join(folder, `${name}.tif`), folder, rgbTile, '-r', 'near')
      const { color, alpha } = differing(rgba, expected, most)
      assert.ok(color < 0.002 && alpha < 0.002, `${name} ${color} ${alpha}`)
    }
    assert.deepEqual(copiesOf(client), [])
  })
})

describe('tiles of rasters of many kinds', () => {
  it('have the colours of palettes, bands of alpha, masks, 16 bits, floats and inks', async (test) => {
    const { client, folder } = await serveRasters(test, {
      'short.tif': translated(
        rgb,
        '-b',
        '1',
        '-ot',
        'UInt16',
        '-scale',
        '0',
        '255',
        '0',
        '65535',
        '-a_nodata',
        '0',
      ),
      'float.tif': translated(
        rgb,
        '-b',
        '1',
        '-ot',
        'Float32',
        '-scale',
        '1',
        '255',
        '-1',
        '1',
        '-a_nodata',
        '-1',
      ),
      'masked.tif': translated(
        rgb,
        '-a_nodata',
        'none',
        '-mask',
        '1',
        '--config',
        'GDAL_TIFF_INTERNAL_MASK',
        'YES',
      ),
      'alpha.tif': (target) => gdal('gdalwarp', '-q', '-dstalpha', rgb, target),
      'gray.tif': translated(rgb, '-b', '1', '-colorinterp_1', 'gray'),
      'inks.tif': (target) =>
        gdal(
          'gdal_translate',
          '-q',
          '-b',
          '1',
          '-b',
          '2',
          '-b',
          '3',
          '-b',
          '3',
          '-a_nodata',
          'none',
          '-co',
          'PHOTOMETRIC=CMYK',
          rgb,
          target,
        ),
    })
    const tile = async (name: string): Promise<Uint8Array> => {
      const { rgba, status, code } = await pictureTile(client, `default:${name}/9/144/219.png`)
      assert.equal(status, 200, `${name} ${code}`)
      return rgba
    }
    const gray = await tile('gray')
    const short = differing(await tile('short'), gray, 6)
    assert.ok(short.color < 0.02 && short.alpha < 0.02, `${short.color} ${short.alpha}`)
    // Floats are warped by bilinear interpolation, integers of one band by nearest neighbour.
    const float = await tile('float')
    assert.ok(differing(float, gray, 60).color < 0.05)
    assert.ok(differing(float, gray, 6).alpha < 0.02)
    const expected = await warpedTile(rgb, folder, rgbTile, '-r', 'bilinear')
    for (const name of ['masked', 'alpha']) {
      const { color, alpha } = differing(await tile(name), expected, 8)
      assert.ok(color < 0.02 && alpha < 0.02, `${name} ${color} ${alpha}`)
    }
    const inks = await tile('inks')
    assert.ok(inks.some((value, at) => at % 4 < 3 && value > 0 && value < 255))
  })
})

describe('tiles of a palette and of a JPEG with a place', () => {
  /** A raster of the source's first band with a palette: 0 is black, 1 is red, others are blue. */
  const paletted = (target: string): void => {
    const entries = ['<Entry c1="0" c2="0" c3="0" c4="255"/>', '<Entry c1="255" c2="0" c3="0" c4="255"/>']
    const blue = '<Entry c1="0" c2="0" c3="255" c4="255"/>'.repeat(20)
    const source = join(rasterFixtures, 'world.byte.tif')
    const place = '<SRS>EPSG:4326</SRS><GeoTransform>-180, 0.125, 0, 75, 0, -0.125</GeoTransform>'
    const band = `<ColorInterp>Palette</ColorInterp><ColorTable>${entries.join('')}${blue}</ColorTable><SimpleSource><SourceFilename>${source}</SourceFilename><SourceBand>1</SourceBand></SimpleSource>`
    const vrt = `<VRTDataset rasterXSize="2880" rasterYSize="1200">${place}<VRTRasterBand dataType="Byte" band="1">${band}</VRTRasterBand></VRTDataset>`
    writeFileSync(`${target}.vrt`, vrt)
    gdal('gdal_translate', '-q', '-co', 'COMPRESS=DEFLATE', `${target}.vrt`, target)
    rmSync(`${target}.vrt`)
  }

  it('have the colours that the files say', async (test) => {
    const { client, folder } = await serveRasters(test, { 'palette.tif': paletted })
    const { rgba, status } = await pictureTile(client, 'default:palette/2/1/1.png')
    assert.equal(status, 200)
    const colors = new Set<string>()
    for (let at = 0; at < rgba.length; at += 4) colors.add(rgba.subarray(at, at + 4).join())
    assert.deepEqual([...colors].sort(), ['0,0,0,255', '255,0,0,255'])
    const legend = await client.server.app.inject({
      url: '/tiles/default:palette/legend.json',
      headers: client.server.admin,
    })
    assert.deepEqual(JSON.parse(legend.body).entries[1].color, { color: '#ff0000', opacity: 1 })

    gdal('gdal_translate', '-q', '-of', 'JPEG', '-co', 'WORLDFILE=YES', rgb, join(folder, 'photo.jpg'))
    writeFileSync(join(folder, 'photo.prj'), 'EPSG:32618')
    const created = await client.call('POST', '', { import: { data: { type: 'file', file: 'photo.jpg' } } })
    const id = Number(created.json.import?.id)
    await client.call('PUT', `/${id}/tasks/0/layer`, { layer: { srs: 'EPSG:32618' } })
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    const photo = await pictureTile(client, 'default:photo/9/144/219.png')
    assert.equal(photo.status, 200, photo.code)
    const expected = await warpedTile(rgb, folder, rgbTile, '-r', 'bilinear')
    assert.ok(differing(photo.rgba, expected, 40).color < 0.05)
  })
})
