import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { differing } from '../../support/raster-tiles.ts'
import { gdal, importRaster, rasterFixtures } from '../../support/rasters.ts'
import type { Box } from '../../support/wms-maps.ts'
import { ask, cell, mapQuery, rgbaOf } from '../../support/wms-maps.ts'

/** The same rectangle as GDAL warps it. */
async function warped(
  source: string,
  target: string,
  srs: string,
  box: Box,
  size: readonly [number, number],
  ...options: string[]
): Promise<Uint8Array> {
  const grid = ['-t_srs', srs, '-te', ...box.map(String), '-ts', ...size.map(String)]
  gdal('gdalwarp', '-q', '-overwrite', ...grid, '-dstalpha', ...options, source, target)
  return sharp(target).ensureAlpha().raw().toBuffer()
}

/** Returns the values that GDAL reads from a file at a position in degrees. */
function located(file: string, longitude: number, latitude: number): number[] {
  const place = ['-valonly', '-wgs84', file, String(longitude), String(latitude)]
  return execFileSync('gdallocationinfo', place, { encoding: 'utf8' }).trim().split('\n').map(Number)
}

const rgb = join(rasterFixtures, 'RGB.byte.tif')
/** A raster of longitudes across the antimeridian, whose values rise to the east. */
const longitudes = [
  'ncols 40',
  'nrows 40',
  'xllcorner 170',
  'yllcorner -10',
  'cellsize 0.5',
  ...Array.from({ length: 40 }, () => Array.from({ length: 40 }, (_, at) => at * 6 + 1).join(' ')),
].join('\n')

describe('coverages in WMS', () => {
  let client: ImporterClient
  let folder: string
  before(async () => {
    const ends: { after(work: () => void): void } = { after: (work) => ending.push(work) }
    client = await startImporter(ends as never)
    folder = join(client.server.dataDir, 'incoming')
    gdal('gdal_translate', '-q', rgb, join(folder, 'rgb.tif'))
    for (const name of ['float_nan', 'rotated'])
      gdal(
        'gdal_translate',
        '-q',
        '-a_srs',
        'EPSG:32618',
        join(rasterFixtures, `${name}.tif`),
        join(folder, `${name}.tif`),
      )
    writeFileSync(join(folder, 'pacific.asc'), longitudes)
    gdal(
      'gdal_translate',
      '-q',
      '-ot',
      'Byte',
      '-a_srs',
      'EPSG:4326',
      join(folder, 'pacific.asc'),
      join(folder, 'pacific.tif'),
    )
    for (const name of ['rgb', 'float_nan', 'rotated', 'pacific']) await importRaster(client, `${name}.tif`)
  })
  const ending: (() => void)[] = []
  after(async () => {
    for (const end of ending.reverse()) await end()
  })

  it('have the colours that GDAL warps, in systems that OGC API Maps does not offer too', async () => {
    const size = [400, 320] as const
    const cases: [srs: string, box: Box][] = [
      ['EPSG:4326', [-78.5, 24, -77, 25.2]],
      ['EPSG:3857', [-8740000, 2750000, -8580000, 2880000]],
      ['EPSG:32618', [150000, 2650000, 300000, 2800000]],
      ['EPSG:32617', [750000, 2650000, 900000, 2800000]],
      ['EPSG:4269', [-78.5, 24, -77, 25.2]],
    ]
    for (const [srs, box] of cases) {
      const map = await rgbaOf(await ask(client, mapQuery('default:rgb', srs, box, size)))
      const expected = await warped(rgb, join(folder, 'warped.tif'), srs, box, size, '-r', 'bilinear')
      const { color, alpha } = differing(map, expected, 24)
      assert.ok(color < 0.02 && alpha < 0.02, `${srs}: ${color} of the colours, ${alpha} of the edges`)
      const there = map.filter((part, at) => at % 4 === 3 && part > 0).length
      assert.ok(there > size[0] * size[1] * 0.2, `${srs}: ${there} cells`)
    }
  })

  it('are the pictures of OGC API Maps, with the axes of each version', async () => {
    const box = 'bbox=-78.5,24,-77,25.2&width=300&height=240'
    const reply = await client.server.app.inject({
      url: `/ogc/collections/default:rgb/map?crs=http://www.opengis.net/def/crs/OGC/1.3/CRS84&${box}`,
      headers: client.server.admin,
    })
    const expected = await sharp(reply.rawPayload).ensureAlpha().raw().toBuffer()
    const common = 'request=GetMap&layers=rgb&styles=&width=300&height=240&format=image/png&transparent=true'
    for (const place of [
      'version=1.1.1&srs=EPSG:4326&bbox=-78.5,24,-77,25.2',
      'version=1.3.0&crs=CRS:84&bbox=-78.5,24,-77,25.2',
      'version=1.3.0&crs=EPSG:4326&bbox=24,-78.5,25.2,-77',
    ]) {
      const map = await rgbaOf(await ask(client, `${common}&${place}`, { path: '/default/wms' }))
      assert.deepEqual(differing(map, expected, 0), { color: 0, alpha: 0 }, place)
    }
  })

  it('go on beyond the antimeridian, in degrees and in systems that have it in their middle', async () => {
    const size = [200, 100] as const
    for (const [srs, box] of [
      ['EPSG:4326', [170, -5, 190, 5]],
      ['EPSG:3832', [2230000, -540000, 4440000, 540000]],
      ['EPSG:3460', [1500000, 4900000, 2500000, 5700000]],
    ] as const) {
      const map = await rgbaOf(await ask(client, mapQuery('default:pacific', srs, box, size)))
      const source = join(folder, 'pacific.tif')
      const expected = await warped(source, join(folder, 'w.tif'), srs, box, size, '-r', 'near')
      const isThere = (at: number): boolean => (map[at + 3] ?? 0) > 0
      const filled = map.filter((_, at) => at % 4 === 0 && isThere(at)).length
      assert.ok(filled > 0.2 * size[0] * size[1], `${srs}: ${filled}`)
      // Values rise to the east, on both sides of the antimeridian.
      const row = Array.from({ length: size[0] }, (_, x) => cell(map, size[0], x, 50))
      const shades = row.filter(([, , , alpha]) => alpha === 255).map(([red = 0]) => red)
      assert.deepEqual(
        shades,
        shades.toSorted((a, b) => a - b),
        srs,
      )
      // Edges may be off by half a cell of web mercator.
      const isGap = (x: number): boolean =>
        row[x]?.[3] === 0 && (expected[(50 * size[0] + x) * 4 + 3] ?? 0) > 0
      const gaps = row.map((_, x) => x).filter((x) => x >= 3 && x < size[0] - 3 && isGap(x))
      assert.deepEqual(gaps, [], srs)
    }
  })

  it('lie over and under features in the order that is asked, and under their background', async () => {
    const made = await client.call('POST', '', {
      import: { targetStore: { dataStore: { name: 'default' } } },
    })
    const square = [
      [
        [-78, 24.4],
        [-77.7, 24.4],
        [-77.7, 24.7],
        [-78, 24.7],
        [-78, 24.4],
      ],
    ]
    const feature = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: square } }
    const content = JSON.stringify({ type: 'FeatureCollection', features: [feature] })
    await client.upload(Number(made.json.import?.id), [{ name: 'square.geojson', content }])
    await client.call('POST', `/${made.json.import?.id}`)
    const [size, box] = [[300, 240] as const, [-78.5, 24, -77, 25.2] as const]
    const one = async (layers: string, more = ''): Promise<Uint8Array> =>
      rgbaOf(await ask(client, `${mapQuery(layers, 'EPSG:4326', box, size)}${more}`))
    const [alone, features] = [await one('default:rgb'), await one('default:square')]
    const [over, under] = [await one('default:rgb,default:square'), await one('default:square,default:rgb')]
    const middle = (rgba: Uint8Array): number[] => cell(rgba, 300, 130, 130)
    assert.notDeepEqual(middle(over), middle(alone))
    assert.equal(middle(features)[3] === 0, false)
    assert.deepEqual(middle(under), middle(alone))
    assert.deepEqual(differing(under, alone, 0).color, 0)
    const twice = await one('default:rgb,default:square,default:rgb')
    assert.deepEqual(middle(twice), middle(alone))
  })

  it('come in each format, with the background that is asked for', async () => {
    const far = mapQuery('default:rgb', 'EPSG:4326', [10, 10, 11, 11], [16, 16]).replace(
      '&transparent=true',
      '',
    )
    for (const [format, type] of [
      ['image/png', 'image/png'],
      ['image/png; mode=8bit', 'image/png; mode=8bit'],
      ['image/jpeg', 'image/jpeg'],
    ] as const) {
      const query = `${far.replace('image/png', encodeURIComponent(format))}&bgcolor=0xff0000`
      const answer = await ask(client, query)
      assert.equal(answer.type, type)
      const [red = 0, green = 0, blue = 0, alpha] = cell(await rgbaOf(answer), 16, 8, 8)
      assert.ok(red > 250 && green < 5 && blue < 5 && alpha === 255, `${format} ${[red, green, blue, alpha]}`)
    }
    assert.equal(cell(await rgbaOf(await ask(client, `${far}&transparent=TRUE`)), 16, 8, 8)[3], 0)
    for (const nowhere of [
      mapQuery('default:rgb', 'EPSG:4326', [-180, 87, 180, 90], [16, 16]),
      mapQuery('default:rgb', 'EPSG:27700', [1e11, 1e11, 1.1e11, 1.1e11], [16, 16]),
      mapQuery('default:rgb', 'EPSG:4258', [-180, -90, 180, 90], [16, 16]),
    ])
      assert.equal(cell(await rgbaOf(await ask(client, nowhere)), 16, 0, 15)[3], 0, nowhere)
    const large = mapQuery(
      Array.from({ length: 5 }, () => 'default:rgb').join(),
      'EPSG:4326',
      [0, 0, 1, 1],
      [4096, 4096],
    )
    assert.match((await ask(client, large)).text, /code="InvalidParameterValue" locator="width"/)
  })

  it('tell the values of their bands, as GDAL finds them in the file', async () => {
    const [width, height] = [150, 120]
    const box: Box = [-78.5, 24, -77, 25.2]
    const info = `version=1.1.1&request=GetFeatureInfo&query_layers=default:rgb&layers=default:rgb&styles=&srs=EPSG:4326&bbox=${box.join()}&width=${width}&height=${height}`
    let found = 0
    for (const [x, y] of [
      [10, 10],
      [75, 60],
      [100, 100],
      [140, 20],
      [31, 77],
    ] as const) {
      const answer = await ask(client, `${info}&x=${x}&y=${y}&info_format=application/json`)
      assert.equal(answer.status, 200, answer.text)
      const { features } = JSON.parse(answer.text) as { features: { properties: Record<string, number> }[] }
      const [longitude, latitude] = [-78.5 + ((x + 0.5) * 1.5) / width, 25.2 - ((y + 0.5) * 1.2) / height]
      const expected = located(join(folder, 'rgb.tif'), longitude, latitude)
      if (expected.every((value) => value === 0)) assert.deepEqual(features, [], `${x} ${y}`)
      else
        assert.deepEqual(
          Object.values(features[0]?.properties ?? {}).map((one) => one ?? 0),
          expected,
        )
      found += features.length
    }
    assert.ok(found > 1)
    const text = await ask(client, `${info}&x=75&y=60&info_format=text/plain`)
    assert.match(text.text, /^default:rgb\n {2}band 1 = \d+\n {2}band 2 = \d+\n {2}band 3 = \d+\n$/)
    const html = await ask(client, `${info}&x=75&y=60&info_format=text/html`)
    assert.match(html.text, /<th scope="row">band 1<\/th><td>\d+<\/td>/)
  })

  it('tell nothing where there are no data, and find cells of turned rasters', async () => {
    const reported = execFileSync('gdalinfo', ['-json', join(folder, 'rotated.tif')], { encoding: 'utf8' })
    const { geoTransform, size } = JSON.parse(reported) as { geoTransform: number[]; size: [number, number] }
    const [x0 = 0, ax = 0, bx = 0, y0 = 0, ay = 0, by = 0] = geoTransform
    const { details } = await layerOf('rotated')
    for (const [column, row] of [
      [0, 0],
      [size[0] - 1, 0],
      [Math.floor(size[0] / 2), Math.floor(size[1] / 2)],
    ] as const) {
      const x = x0 + (column + 0.5) * ax + (row + 0.5) * bx
      const y = y0 + (column + 0.5) * ay + (row + 0.5) * by
      const reach = Math.abs(ax) / 100
      const box = [x - reach, y - reach, x + reach, y + reach].join()
      const query = `version=1.1.1&request=GetFeatureInfo&query_layers=default:rotated&srs=${details.srs}&bbox=${box}&width=1&height=1&x=0&y=0&info_format=application/json`
      const { text } = await ask(client, query)
      const place = ['-valonly', join(folder, 'rotated.tif'), String(column), String(row)]
      const expected = execFileSync('gdallocationinfo', place, { encoding: 'utf8' })
        .trim()
        .split('\n')
        .map(Number)
      const { features } = JSON.parse(text) as { features: { properties: Record<string, number> }[] }
      if (features.length > 0) assert.deepEqual(Object.values(features[0]?.properties ?? {}), expected)
      else
        assert.ok(
          expected.every((value) => value === 0 || Number.isNaN(value)),
          String(expected),
        )
    }
  })

  async function layerOf(name: string): Promise<{ details: { srs?: string } }> {
    const layer = await client.server.catalog.layers.find('default', name)
    assert.ok(layer, name)
    return layer
  }

  it('stand in capabilities of both versions, and have a legend', async () => {
    for (const version of ['1.1.1', '1.3.0']) {
      const { text } = await ask(client, `version=${version}&request=GetCapabilities`)
      assert.match(text, /<Layer queryable="1"><Name>default:rgb<\/Name>/)
      assert.doesNotMatch(text, /Dimension/)
    }
    const legend = await ask(client, 'request=GetLegendGraphic&layer=default:float_nan&format=image/png')
    assert.deepEqual([legend.status, legend.type], [200, 'image/png'])
  })

  it('are for those who may read them alone', async () => {
    const query = mapQuery('default:rgb', 'EPSG:4326', [-78.5, 24, -77, 25.2], [32, 32])
    const closed = await ask(client, query, { isAnonymous: true })
    const absent = await ask(client, query.replace('default:rgb', 'default:nowhere'), { isAnonymous: true })
    assert.deepEqual([closed.status, absent.status], [404, 404])
    assert.equal(closed.text.replace('default:rgb', ''), absent.text.replace('default:nowhere', ''))
    const { text } = await ask(client, 'request=GetCapabilities', { isAnonymous: true })
    assert.doesNotMatch(text, /default:rgb/)
  })

  it('are drawn of one state each while they are replaced', async () => {
    const plain = ['-q', '-of', 'GTiff', '-outsize', '256', '256', '-bands', '3', '-ot', 'Byte']
    const place = ['-a_srs', 'EPSG:32618', '-a_ullr', '400000', '4000000', '410000', '3990000']
    const shade = (value: number, name: string): void =>
      gdal('gdal_create', ...plain, ...place, '-burn', String(value), join(folder, name))
    shade(10, 'shade.tif')
    await importRaster(client, 'shade.tif')
    const query = mapQuery('default:shade', 'EPSG:32618', [401000, 3991000, 409000, 3999000], [128, 128])
    await ask(client, query)
    let isOver = false
    const seen = new Set<string>()
    const looking = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const rgba = await rgbaOf(await ask(client, query))
        seen.add(String([...new Set(rgba.filter((_, at) => at % 4 === 0))]))
      }
    })
    for (const value of [90, 170]) {
      const file = `shade${value}.tif`
      shade(value, file)
      const created = await client.call('POST', '', { import: { data: { type: 'file', file } } })
      const id = created.json.import?.id
      const put = await client.call('PUT', `/${id}/tasks/0`, {
        task: { updateMode: 'REPLACE', layer: { name: 'shade' } },
      })
      assert.ok(put.status < 300, put.text)
      const ran = await client.call('POST', `/${id}`)
      assert.ok(ran.status < 300, ran.text)
    }
    isOver = true
    await Promise.all(looking)
    for (const shades of seen) assert.ok(['10', '90', '170'].includes(shades), [...seen].join(' | '))
    assert.deepEqual(cell(await rgbaOf(await ask(client, query)), 128, 64, 64), [170, 170, 170, 255])
  })
})
