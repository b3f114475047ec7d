import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { blockAt } from '../../support/document-blocks.ts'
import { runCommands } from '../../support/document-commands.ts'
import { testCluster } from '../../support/postgres.ts'
import type { Qgis } from '../../support/qgis.ts'
import { startQgis } from '../../support/qgis.ts'
import { readRaster } from '../../support/raster-cells.ts'
import { gdal } from '../../support/rasters.ts'
import type { ServedMaps } from '../../support/served-maps.ts'
import { serveMaps } from '../../support/served-maps.ts'
import { userAndPassword } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const run = promisify(execFile)

/** Requests the capabilities and a part of a coverage with OWSLib, in both versions. */
const owslib = `
import json, sys
from owslib.wcs import WebCoverageService
url, folder = sys.argv[1:3]
wcs = WebCoverageService(url, version='2.0.1')
coverage = wcs['default__islands']
part = wcs.getCoverage(identifier=['default__islands'], format='image/tiff', subsets=[('E', 150000, 250000), ('N', 2700000, 2800000)], subsettingcrs='http://www.opengis.net/def/crs/EPSG/0/32618')
open(folder + '/2.0.1.tif', 'wb').write(part.read())
told = {'2.0.1': dict(
    coverages=sorted(wcs.contents), formats=coverage.supportedFormats, high=coverage.grid.highlimits,
    operations=sorted(operation.name for operation in wcs.operations), boxes=[box['nativeSrs'] for box in coverage.boundingboxes],
)}
wcs = WebCoverageService(url, version='1.0.0')
coverage = wcs['default:islands']
part = wcs.getCoverage(identifier='default:islands', bbox=(150000, 2700000, 250000, 2800000), crs='EPSG:32618', format='GeoTIFF', width=100, height=90)
open(folder + '/1.0.0.tif', 'wb').write(part.read())
told['1.0.0'] = dict(
    coverages=sorted(wcs.contents), formats=coverage.supportedFormats, high=coverage.grid.highlimits,
    operations=sorted(operation.name for operation in wcs.operations), boxes=[str(crs) for crs in coverage.supportedCRS][:1],
)
print(json.dumps(told))
`

interface ClientReport {
  coverages: string[]
  formats: string[]
  high: string[]
  operations: string[]
  boxes: string[]
}

describe('WCS in the programs of others, with PostgreSQL', () => {
  const ends: (() => void)[] = []
  let server: ServedMaps
  let qgis: Qgis
  let folder: string
  before(async () => {
    const cleanup = { after: (work: () => void) => ends.push(work) }
    const database = await (await testCluster()).createDatabase()
    server = await serveMaps(cleanup, { TERRANE_DATABASE_URL: database })
    qgis = startQgis(cleanup)
    folder = temporaryData(cleanup)
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })
  const source = () => readRaster(join(server.sources, 'islands.tif'))

  it('is read by GDAL cell by cell, whole and in part, by both versions', async () => {
    const whole = source()
    for (const name of [
      'version=2.0.1&coverage=default__islands',
      'version=1.0.0&coverage=default:islands',
    ]) {
      // GDAL stores its cache of a service in this folder.
      const env = { PATH: process.env.PATH, HOME: folder }
      const at = `WCS:${server.url}/wcs?${name}`
      const to = join(folder, 'gdal.tif')
      await run('gdal_translate', ['-q', at, to], { env })
      const { cells, geoTransform, size, bands } = readRaster(to)
      assert.deepEqual(size, whole.size, name)
      assert.ok(cells.equals(whole.cells), name)
      assert.deepEqual(
        bands.map(({ type, noDataValue }) => [type, noDataValue]),
        whole.bands.map(({ type, noDataValue }) => [type, noDataValue]),
      )
      for (const [index, value] of geoTransform.entries())
        assert.ok(Math.abs(value - (whole.geoTransform[index] ?? 0)) < 1e-6, `${name} ${geoTransform}`)
      const window = ['-srcwin', '100', '200', '77', '55']
      await run('gdal_translate', ['-q', ...window, at, to], { env })
      const expected = join(folder, 'expected.tif')
      gdal('gdal_translate', '-q', ...window, join(server.sources, 'islands.tif'), expected)
      assert.ok(readRaster(to).cells.equals(readRaster(expected).cells), name)
      await run('gdal_translate', ['-q', '-outsize', '80', '60', at, to], { env })
      assert.deepEqual(readRaster(to).size, [80, 60])
    }
  })

  it('is read by OWSLib by both versions', async () => {
    const { stdout } = await run('/usr/bin/python3', ['-c', owslib, `${server.url}/wcs`, folder])
    const { width, height } = { width: source().size[0], height: source().size[1] }
    const all = JSON.parse(stdout) as Record<string, ClientReport>
    for (const [version, report] of Object.entries(all)) {
      const id = version === '2.0.1' ? 'default__islands' : 'default:islands'
      assert.deepEqual(report.coverages, [id])
      assert.deepEqual(report.high, [String(width - 1), String(height - 1)], version)
      assert.deepEqual(report.operations, ['DescribeCoverage', 'GetCapabilities', 'GetCoverage'])
    }
    assert.ok(all['2.0.1']?.formats.includes('image/tiff') && all['1.0.0']?.formats.includes('GeoTIFF'))
    assert.deepEqual(all['2.0.1']?.boxes, ['http://www.opengis.net/def/crs/EPSG/0/32618'])
    assert.match(all['1.0.0']?.boxes[0] ?? '', /32618/)
    assert.deepEqual(readRaster(join(folder, '1.0.0.tif')).size, [100, 90])
    const { geoTransform, size } = readRaster(join(folder, '2.0.1.tif'))
    const [left = 0, across = 1, , top = 0, , down = -1] = geoTransform
    const expected = join(folder, 'part.tif')
    const [column, row] = [(left - 101_985) / across, (2_826_915 - top) / -down].map(Math.round)
    gdal(
      'gdal_translate',
      '-q',
      '-srcwin',
      String(column),
      String(row),
      ...size.map(String),
      join(server.sources, 'islands.tif'),
      expected,
    )
    assert.ok(readRaster(join(folder, '2.0.1.tif')).cells.equals(readRaster(expected).cells))
  })

  it('answers the commands of its document', async () => {
    const password = userAndPassword.slice('admin:'.length)
    const commands = blockAt('docs/wcs.md > WCS > sh 1').replaceAll('http://127.0.0.1:8080', server.url)
    const { code, stdout, stderr } = await runCommands(commands, { PASSWORD: password, HOME: folder }, folder)
    assert.equal(code, 0, stderr)
    assert.match(
      stdout,
      /<wcs:Capabilities version="2.0.1".*<wcs:CoverageDescription gml:id="default__islands"/s,
    )
    assert.ok(readRaster(join(folder, 'whole.tif')).cells.equals(source().cells))
    assert.deepEqual(readRaster(join(folder, 'part.tif')).size, [167, 167])
  })

  it('is read by QGIS cell by cell, and drawn', async () => {
    const whole = source()
    const [left = 0, across = 0, , top = 0, , down = 0] = whole.geoTransform
    const parts = {
      url: `${server.url}/wcs`,
      identifier: 'default:islands',
      version: '1.0.0',
      crs: 'EPSG:32618',
    }
    const uri = new URLSearchParams({ ...parts, format: 'GeoTIFF', cache: 'AlwaysNetwork' }).toString()
    const [column, row, columns, rows] = [100, 200, 60, 40]
    const extent = [
      left + column * across,
      top + (row + rows) * down,
      left + (column + columns) * across,
      top + row * down,
    ]
    const found = await qgis.ask<{ crs: string; size: number[]; bands: (number | null)[][] }>({
      do: 'coverage',
      kind: 'coverage',
      uri,
      extent,
      size: [columns, rows],
    })
    assert.equal(found.crs, 'EPSG:32618')
    assert.deepEqual(found.size, whole.size)
    assert.equal(found.bands.length, whole.bands.length)
    const [width, height] = whole.size
    for (const [band, values] of found.bands.entries())
      for (const [index, value] of values.entries()) {
        const cell =
          band * width * height + (row + Math.floor(index / columns)) * width + column + (index % columns)
        const expected = whole.cells[cell]
        const noData = whole.bands[band]?.noDataValue
        assert.equal(value, expected === noData ? null : expected, `band ${band + 1}, cell ${index}`)
      }
    const to = join(folder, 'qgis.png')
    const request = {
      do: 'draw',
      layers: [{ kind: 'coverage', uri }],
      extent: [-8_800_000, 2_700_000, -8_500_000, 2_950_000],
      to,
    }
    assert.deepEqual((await qgis.ask<{ errors: string[] }>(request)).errors, [])
  })
})
