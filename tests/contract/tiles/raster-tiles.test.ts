import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { differing, pictureTile, warpedTile } from '../../support/raster-tiles.ts'
import { gdal, importRaster, rasterFixtures } from '../../support/rasters.ts'

const rgb = join(rasterFixtures, 'RGB.byte.tif')
const place = [9, 144, 219] as const

/** A server with rasters that GDAL makes of others; gives their folder. */
async function serve(
  test: TestContext,
  files: Record<string, (target: string) => void>,
): Promise<{ client: ImporterClient; folder: string }> {
  const client = await startImporter(test)
  const folder = join(client.server.dataDir, 'incoming')
  for (const [name, make] of Object.entries(files)) {
    make(join(folder, name))
    await importRaster(client, name)
  }
  return { client, folder }
}

const translate =
  (source: string, ...options: string[]) =>
  (target: string): void =>
    gdal('gdal_translate', '-q', ...options, source, target)

/** Names of the copies that were made for layers. */
function copies({ server }: ImporterClient): string[] {
  const folder = join(server.dataDir, 'maps')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.tif'))
}

describe('tiles of a coverage in another CRS', () => {
  it('have the cells that GDAL warps, transparent outside and without data', async (test) => {
    const { client, folder } = await serve(test, { 'rgb.tif': translate(rgb) })
    const { status, rgba, headers } = await pictureTile(client, `default:rgb/${place.join('/')}.png`)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'image/png')
    const expected = await warpedTile(rgb, folder, place, '-r', 'bilinear')
    // GDAL may choose its approximation of the transformation by chunks: at most a shade in few cells.
    const { color, alpha } = differing(rgba, expected, 4)
    assert.ok(color < 0.005 && alpha < 0.005, `${color} ${alpha}`)
    const [only, ...others] = copies(client)
    assert.ok(only !== undefined && others.length === 0)
  })

  it('of 512 cells are those of the next zoom, WebP has the same shades, coarser zooms have means', async (test) => {
    const { client, folder } = await serve(test, { 'rgb.tif': translate(rgb) })
    const double = await pictureTile(client, 'default:rgb/8/72/109@2x.png')
    assert.equal(double.width, 512)
    const plain = await pictureTile(client, 'default:rgb/9/144/219.png')
    const corner = Array.from({ length: 256 }, (_, row) => {
      const from = ((row + 256) * 512 + 0) * 4
      return double.rgba.subarray(from, from + 1024)
    })
    assert.deepEqual(Buffer.concat(corner), Buffer.from(plain.rgba))
    const webp = await pictureTile(client, 'default:rgb/9/144/219.webp')
    assert.ok(differing(webp.rgba, plain.rgba, 40).color < 0.02)
    const coarse = await pictureTile(client, 'default:rgb/6/18/27.png')
    const expected = await warpedTile(rgb, folder, [6, 18, 27], '-r', 'average')
    assert.ok(differing(coarse.rgba, expected, 24).color < 0.02)
    assert.equal((await pictureTile(client, 'default:rgb/0/0/0.png')).status, 200)
    assert.equal((await pictureTile(client, 'default:rgb/14/4620/7020.png')).status, 200)
  })

  it('are transparent beside it, 404 outside the matrix, and 404 with the reason for a layer of none', async (test) => {
    const { client } = await serve(test, {
      'rgb.tif': translate(rgb),
      'complex.tif': translate(rgb, '-b', '1', '-ot', 'CInt16'),
    })
    for (const [name, width] of [
      ['0.png', 256],
      ['0.webp', 256],
      ['0@2x.png', 512],
      ['0@2x.webp', 512],
    ] as const) {
      const tile = await pictureTile(client, `default:rgb/9/0/${name}`)
      assert.deepEqual([tile.status, tile.width], [200, width], name)
      assert.ok(
        tile.rgba.every((value) => value === 0),
        name,
      )
    }
    assert.equal((await pictureTile(client, 'default:rgb/2/4/0.png')).code, 'unknown-tile')
    assert.equal((await pictureTile(client, 'default:complex/9/144/219.png')).code, 'no-tiles')
  })
})

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
      ([name, { options }]) => [`${name}.tif`, translate(rgb, ...aligned, ...options)] as const,
    )
    const { client, folder } = await serve(test, Object.fromEntries(made))
    for (const [name, { most }] of Object.entries(codings)) {
      const { rgba, status } = await pictureTile(client, `default:${name}/9/144/219.png`)
      assert.equal(status, 200, name)
      const expected = await warpedTile(join(folder, `${name}.tif`), folder, place, '-r', 'near')
      const { color, alpha } = differing(rgba, expected, most)
      assert.ok(color < 0.002 && alpha < 0.002, `${name} ${color} ${alpha}`)
    }
    assert.deepEqual(copies(client), [])
  })
})

describe('tiles of rasters of many kinds', () => {
  it('have the colours of palettes, bands of alpha, masks, 16 bits, floats and inks', async (test) => {
    const { client, folder } = await serve(test, {
      'short.tif': translate(
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
      'float.tif': translate(
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
      'masked.tif': translate(
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
      'gray.tif': translate(rgb, '-b', '1', '-colorinterp_1', 'gray'),
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
    const expected = await warpedTile(rgb, folder, place, '-r', 'bilinear')
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
    const { client, folder } = await serve(test, { 'palette.tif': paletted })
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
    const expected = await warpedTile(rgb, folder, place, '-r', 'bilinear')
    assert.ok(differing(photo.rgba, expected, 40).color < 0.05)
  })
})

describe('tiles of rasters across the antimeridian', () => {
  /** A raster of longitudes from `west` on, 20 degrees wide, whose values rise to the east. */
  const longitudes =
    (west: number, width: number) =>
    (target: string): void => {
      const rows = Array.from({ length: 40 }, () =>
        Array.from({ length: 40 }, (_, column) => column + 1).join(' '),
      )
      const head = [
        'ncols 40',
        'nrows 40',
        `xllcorner ${west}`,
        'yllcorner -10',
        `dx ${width / 40}`,
        'dy 0.5',
      ]
      writeFileSync(`${target}.asc`, [...head, ...rows].join('\n'))
      gdal('gdal_translate', '-q', '-a_srs', 'EPSG:4326', '-ot', 'Byte', `${target}.asc`, target)
      rmSync(`${target}.asc`)
    }

  it('lie on both sides of it, whatever its longitudes are counted from', async (test) => {
    const { client } = await serve(test, {
      'across.tif': longitudes(170, 20),
      'round.tif': longitudes(0, 360),
    })
    // At zoom 3 a tile is 45 degrees wide, 5.7 cells a degree; its first rows lie south of the equator.
    const first = await pictureTile(client, 'default:across/3/7/4.png')
    const second = await pictureTile(client, 'default:across/3/0/4.png')
    const shade = ({ rgba }: { rgba: Uint8Array }, column: number): number[] => [
      rgba[(5 * 256 + column) * 4] ?? 0,
      rgba[(5 * 256 + column) * 4 + 3] ?? 0,
    ]
    const [a, b] = [shade(first, 250), shade(second, 5)]
    assert.deepEqual([a[1], b[1]], [255, 255])
    assert.ok((a[0] ?? 0) < (b[0] ?? 0), `${a} ${b}`)
    const half = await pictureTile(client, 'default:round/1/0/1.png')
    const other = await pictureTile(client, 'default:round/1/1/1.png')
    assert.deepEqual([shade(half, 20)[1], shade(other, 20)[1]], [255, 255])
    assert.ok((shade(half, 20)[0] ?? 0) > (shade(other, 20)[0] ?? 255))
  })
})
