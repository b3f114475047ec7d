import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { CoverageServer } from '../../support/coverages.ts'
import { assertSameRaster, cellTypes, cover, crsUri, serveCoverages } from '../../support/coverages.ts'
import { seededRandom } from '../../support/kills/session.ts'
import { readRaster } from '../../support/raster-cells.ts'

describe('coverages by WCS', () => {
  let coverages: CoverageServer
  const ending: (() => void)[] = []
  before(async () => {
    coverages = await serveCoverages({ after: (work: () => void) => ending.push(work) })
  })
  after(async () => {
    for (const end of ending.reverse()) await end()
  })

  it('have the cells, types, nodata values and places of their files', async () => {
    for (const name of [
      'rgb',
      'geo',
      'float_nan',
      'rotated',
      'upside',
      ...cellTypes.map((type) => `t_${type}`),
    ])
      assertSameRaster(await coverages.raster(cover + name), coverages.source(name), name)
    assert.equal((await coverages.raster(`${cover}many&rangeSubset=band40,band1:band3`)).bands.length, 4)
  })

  it('are trimmed to the cells whose middle lies between the ends, in any order of axes', async () => {
    const random = seededRandom(7)
    const cases = [
      { name: 'rgb', labels: ['E', 'N'] },
      { name: 'geo', labels: ['Long', 'Lat'] },
      { name: 't_Float32', labels: ['x', 'y'] },
      { name: 'upside', labels: ['E', 'N'] },
    ]
    for (const { name, labels } of cases) {
      const { size, geoTransform } = coverages.source(name)
      const [left = 0, across = 0, , top = 0, , down = 0] = geoTransform
      for (let turn = 0; turn < 4; turn += 1) {
        const column = Math.floor(random() * (size[0] - 1))
        const row = Math.floor(random() * (size[1] - 1))
        const columns = 1 + Math.floor(random() * (size[0] - column))
        const rows = 1 + Math.floor(random() * (size[1] - row))
        // Edges of cells, or up to half a cell away from them.
        const off = (): number => (turn < 2 ? 0 : (random() - 0.5) * 0.9)
        const xs = [left + (column + off()) * across, left + (column + columns + off()) * across]
        const ys = [top + (row + off()) * down, top + (row + rows + off()) * down]
        const of = (label: string | undefined, ends: number[]): string =>
          `subset=${label}(${Math.min(...ends)},${Math.max(...ends)})`
        const parts = [of(labels[0], xs), of(labels[1], ys)]
        if (turn % 2 === 1) parts.reverse()
        const window = ['-srcwin', column, row, columns, rows].map(String)
        const query = `${name}&${parts.join('&')}`
        assertSameRaster(
          await coverages.raster(cover + query),
          coverages.made('gdal_translate', name, ...window),
          query,
        )
      }
    }
  })

  it('are open at an end with a star, and one cell at a point', async () => {
    const open = await coverages.raster(`${cover}rgb&subset=E(*,200000)&subset=N(2700000,*)`)
    const [left = 0, across = 0, , top = 0, , down = 0] = open.geoTransform
    assert.deepEqual([left, top], [101985, 2826915])
    assert.ok(Math.abs(left + open.size[0] * across - 200_000) <= across / 2)
    assert.ok(Math.abs(top + open.size[1] * down - 2_700_000) <= -down / 2)
    const point = await coverages.raster(`${cover}t_Float64&subset=E(400046)&subset=N(5000100)`)
    assert.deepEqual(point.size, [1, 1])
    assert.equal(point.cells.readDoubleLE(), 1 * 11.25 + 13 * 3)
    const thin = await coverages.raster(`${cover}t_Float64&subset=E(400046,400047)&subset=N(5000100,5000101)`)
    assert.equal(thin.cells.readDoubleLE(), 1 * 11.25 + 13 * 3)
  })

  it('are scaled as GDAL scales, with each way of saying so', async () => {
    for (const [query, size] of [
      ['scaleFactor=0.5', [396, 359]],
      ['scaleSize=i(100),j(50)', [100, 50]],
      [
        'scaleSize=E(100),N(50)&interpolation=http://www.opengis.net/def/interpolation/OGC/1/linear',
        [100, 50],
      ],
      ['scaleAxes=E(0.25),N(2)&interpolation=cubic', [198, 1436]],
      ['scaleExtent=i(10:109),j(0:9)', [100, 10]],
      ['scaleSize=i(33)', [33, 718]],
    ] as const) {
      const method = /linear/.test(query) ? 'bilinear' : /cubic/.test(query) ? 'cubic' : 'nearest'
      const expected = coverages.made('gdal_translate', 'rgb', '-r', method, '-outsize', ...size.map(String))
      assertSameRaster(await coverages.raster(`${cover}rgb&${query}`), expected, query)
    }
  })

  it('are warped as GDAL warps exactly, with boxes of any system', async () => {
    const [left, bottom, right, top] = [-8_740_000, 2_800_000, -8_650_000, 2_900_000]
    const box = ['-te', left, bottom, right, top].map(String)
    const subsets = `subset=X(${left},${right})&subset=Y(${bottom},${top})`
    const warp = ['-t_srs', 'EPSG:3857', '-et', '0']
    for (const [query, args] of [
      [`outputCrs=${crsUri(3857)}`, warp],
      [`outputCrs=${crsUri(3857)}&subsettingCrs=${crsUri(3857)}&${subsets}`, [...warp, ...box]],
      [`subsettingCrs=EPSG:3857&${subsets}`, [...warp, ...box]],
      [
        `outputCrs=${crsUri(3857)}&subsettingCrs=${crsUri(3857)}&${subsets}&scaleSize=i(200),j(100)&interpolation=linear`,
        [...warp, ...box, '-ts', '200', '100', '-r', 'bilinear'],
      ],
    ] as const)
      assertSameRaster(
        await coverages.raster(`${cover}rgb&${query}`),
        coverages.made('gdalwarp', 'rgb', ...args),
        query,
      )
    // A box in degrees of a coverage that stays in metres.
    const degrees = `subset=Long,${crsUri(4326)}(-78,-77.5)&subset=Lat,${crsUri(4326)}(24.5,25)`
    const { size, geoTransform } = await coverages.raster(`${cover}rgb&${degrees}&outputCrs=${crsUri(32618)}`)
    const whole = coverages.source('rgb')
    const cells = [0, 3].map(
      (at) =>
        ((geoTransform[at] ?? 0) - (whole.geoTransform[at] ?? 0)) /
        (whole.geoTransform[at + (at === 0 ? 1 : 2)] ?? 1),
    )
    for (const one of cells)
      assert.ok(Math.abs(one - Math.round(one)) < 1e-6, 'cells are those of the coverage')
    assert.ok(size[0] < 250 && size[1] < 250)
  })

  it('give the bands that are asked for, in their order', async () => {
    const expected = coverages.made('gdal_translate', 'rgb', '-b', '3', '-b', '1')
    for (const range of ['band3,band1', '3,1', 'band3:band3,1']) {
      const found = await coverages.raster(`${cover}rgb&rangeSubset=${range}`)
      assert.ok(found.cells.equals(expected.cells), range)
    }
    assert.equal(
      (await coverages.raster(`${cover}many&rangesubset=band5:band40&scaleFactor=0.1`)).bands.length,
      36,
    )
  })

  it('are GeoTIFFs packed as was asked, or pictures', async () => {
    const expected = coverages.source('rgb')
    for (const options of [
      'geotiff:compression=Deflate&geotiff:predictor=Horizontal',
      'geotiff:compression=LZW&geotiff:tiling=true&geotiff:tilewidth=64&geotiff:tileheight=32',
      'geotiff:compression=PackBits&geotiff:interleave=Band',
      'geotiff:compression=None',
    ])
      assertSameRaster(await coverages.raster(`${cover}rgb&${options}`), expected, options)
    const png = await coverages.ask(`${cover}rgb&format=image/png`)
    assert.equal(png.headers['content-type'], 'image/png')
    const path = join(coverages.folder, 'answer.png')
    writeFileSync(path, png.body)
    assert.ok(readRaster(path).cells.equals(expected.cells))
    assert.equal((await coverages.ask(`${cover}rgb&format=image/jpeg`)).headers['content-type'], 'image/jpeg')
  })
})
