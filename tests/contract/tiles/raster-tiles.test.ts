import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
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
import { gdal } from '../../support/rasters.ts'

// tests/release/tiles/raster-kinds.test.ts has other codings and kinds of rasters.
describe('tiles of a coverage in another CRS', () => {
  it('have the cells that GDAL warps, transparent outside and without data', async (test) => {
    const { client, folder } = await serveRasters(test, { 'rgb.tif': translated(rgb) })
    const { status, rgba, headers } = await pictureTile(client, `default:rgb/${rgbTile.join('/')}.png`)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'image/png')
    const expected = await warpedTile(rgb, folder, rgbTile, '-r', 'bilinear')
    // GDAL may choose its approximation of the transformation by chunks: at most a shade in few cells.
    const { color, alpha } = differing(rgba, expected, 4)
    assert.ok(color < 0.005 && alpha < 0.005, `${color} ${alpha}`)
    const [only, ...others] = copiesOf(client)
    assert.ok(only !== undefined && others.length === 0)
  })

  it('of 512 cells are those of the next zoom, WebP has the same shades, coarser zooms have means', async (test) => {
    const { client, folder } = await serveRasters(test, { 'rgb.tif': translated(rgb) })
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
    const { client } = await serveRasters(test, {
      'rgb.tif': translated(rgb),
      'complex.tif': translated(rgb, '-b', '1', '-ot', 'CInt16'),
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
    const { client } = await serveRasters(test, {
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
