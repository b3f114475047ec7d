import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { blockAt } from '../../support/document-blocks.ts'
import { runCommands } from '../../support/document-commands.ts'
import { paintFlat } from '../../support/flat-style.ts'
import { colouredShares, differentCells } from '../../support/pictures.ts'
import { testCluster } from '../../support/postgres.ts'
import type { Qgis } from '../../support/qgis.ts'
import { squareOf, startQgis } from '../../support/qgis.ts'
import { differing } from '../../support/raster-tiles.ts'
import { rasterize } from '../../support/rasterized.ts'
import type { ServedMaps } from '../../support/served-maps.ts'
import { serveMaps } from '../../support/served-maps.ts'
import { userAndPassword } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { repeating } from '../../support/until.ts'

const run = promisify(execFile)

/** Requests with OWSLib in both versions: the capabilities, a map, and the features at its centre. */
const owslib = `
import json, sys
from owslib.wms import WebMapService
told = {}
for version in ('1.1.1', '1.3.0'):
    wms = WebMapService(sys.argv[1], version=version)
    layer = wms['default:countries']
    where = dict(layers=['default:countries'], styles=[''], srs='EPSG:4326', bbox=(0, 40, 20, 60), size=(400, 400), format='image/png')
    picture = wms.getmap(transparent=True, **where).read()
    info = wms.getfeatureinfo(query_layers=['default:countries'], info_format='application/json', xy=(200, 200), **where).read()
    told[version] = dict(
        layers=sorted(wms.contents),
        box=layer.boundingBoxWGS84,
        styles=list(layer.styles),
        operations=sorted(operation.name for operation in wms.operations),
        picture=picture[:8].hex(),
        found=[one['properties']['NAME'] for one in json.loads(info)['features']],
    )
print(json.dumps(told))
`

/** Waits until the copy of a raster is made. */
async function ready(url: string): Promise<void> {
  for (const hasTime = repeating(); await hasTime(); ) if ((await fetch(url)).status === 200) return
  assert.fail(`${url} is not ready`)
}

interface ClientReport {
  layers: string[]
  box: number[]
  styles: string[]
  operations: string[]
  picture: string
  found: string[]
}

describe('WMS in the programs of others, out of PostGIS', () => {
  const ends: (() => void)[] = []
  let server: ServedMaps
  let qgis: Qgis
  before(async () => {
    const cleanup = { after: (work: () => void) => ends.push(work) }
    const database = await (await testCluster()).createDatabase()
    server = await serveMaps(cleanup, { TERRANE_DATABASE_URL: database })
    qgis = startQgis(cleanup)
    await paintFlat(server, '#0000ff')
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })

  it('is drawn by QGIS where the file has its shapes', async () => {
    for (const [layer, file, color, version] of [
      ['countries', 'countries.geojson', '#0000ff', '1.3.0'],
      ['countries', 'countries.geojson', '#0000ff', '1.1.1'],
    ] as const) {
      const to = join(server.sources, `wms-${version}.png`)
      const parts = { layers: `default:${layer}`, styles: '', crs: 'EPSG:3857', format: 'image/png' }
      const uri = `${new URLSearchParams(parts)}&url=${encodeURIComponent(`${server.url}/wms?version=${version}`)}`
      const request = { do: 'draw', layers: [{ kind: 'picture', uri }], extent: squareOf(), to }
      assert.deepEqual((await qgis.ask<{ errors: string[] }>(request)).errors, [])
      const path = join(server.sources, file)
      const expected = await colouredShares(readFileSync(await rasterize(path, `${path}.tif`)), '#000000')
      assert.deepEqual(differentCells(await colouredShares(readFileSync(to), color), expected, 0.08), [])
    }
  })

  it('is read by OWSLib', async () => {
    const { stdout } = await run('/usr/bin/python3', ['-c', owslib, `${server.url}/wms`])
    for (const [version, report] of Object.entries(JSON.parse(stdout) as Record<string, ClientReport>)) {
      const { layers, box, styles, operations, picture, found } = report
      assert.ok(layers.includes('default:europe') && !layers.includes('default:secret'), version)
      assert.deepEqual(
        box.map((one) => Math.round(one)),
        [-180, -90, 180, 84],
      )
      assert.deepEqual(styles, ['flat'])
      for (const name of ['GetCapabilities', 'GetMap', 'GetFeatureInfo']) assert.ok(operations.includes(name))
      assert.equal(picture, '89504e470d0a1a0a')
      assert.deepEqual(found, ['Germany'])
    }
  })

  it('answers the commands of its document', async (t) => {
    const folder = temporaryData(t)
    const password = userAndPassword.slice('admin:'.length)
    const commands = blockAt('docs/wms.md > WMS > sh 1').replaceAll('http://127.0.0.1:8080', server.url)
    const { code, stdout, stderr } = await runCommands(commands, { PASSWORD: password }, folder)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /<WMS_Capabilities version="1.3.0"/)
    const picture = readFileSync(join(folder, 'map.png'))
    assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [800, 400])
    for (const [place, found] of [
      ['docs/wms.md > Service metadata > sh 1', '<Title>Länder</Title>'],
      ['docs/wms.md > Additional styles > sh 1', ''],
    ] as const) {
      const others = blockAt(place).replaceAll('http://127.0.0.1:8080', server.url)
      const output = await runCommands(others, { PASSWORD: password }, folder)
      assert.equal(output.code, 0, output.stderr)
      assert.ok(output.stdout.includes(found) && !output.stdout.includes('"errors"'), output.stdout)
    }
  })

  it('shows a coverage to QGIS and GDAL as GDAL warps its file', async () => {
    const box = [-8790000, 2720000, -8530000, 2980000] as const
    const [west, south, east, north] = box
    const warped = join(server.sources, 'islands-warped.tif')
    const grid = ['-t_srs', 'EPSG:3857', '-te', ...box.map(String), '-ts', '520', '520', '-r', 'bilinear']
    await run('gdalwarp', ['-q', ...grid, '-dstalpha', join(server.sources, 'islands.tif'), warped])
    const expected = await sharp(warped).ensureAlpha().raw().toBuffer()
    await ready(
      `${server.url}/wms?service=WMS&version=1.3.0&request=GetMap&layers=default:islands&styles=&crs=EPSG:3857&bbox=${box.join()}&width=8&height=8&format=image/png`,
    )
    const drawn = join(server.sources, 'islands-qgis.png')
    const parts = { layers: 'default:islands', styles: '', crs: 'EPSG:3857', format: 'image/png' }
    const uri = `${new URLSearchParams(parts)}&url=${encodeURIComponent(`${server.url}/wms?version=1.3.0`)}`
    const request = { do: 'draw', layers: [{ kind: 'picture', uri }], extent: [...box], to: drawn, size: 520 }
    assert.deepEqual((await qgis.ask<{ errors: string[] }>(request)).errors, [])
    const service = `${server.url}/wms?SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap&LAYERS=default:islands&STYLES=&CRS=EPSG:3857&FORMAT=image/png&TRANSPARENT=TRUE`
    const translated = join(server.sources, 'islands-gdal.tif')
    const address = `WMS:${service}&BBOX=${west},${south},${east},${north}`
    await run('gdal_translate', ['-q', '-outsize', '520', '520', address, translated])
    for (const path of [drawn, translated]) {
      const picture = sharp(path).resize(520, 520, { fit: 'fill' }).ensureAlpha().raw()
      const shown = await picture.toBuffer()
      const { color } = differing(shown, expected, 40)
      assert.ok(color < 0.05, `${path}: ${color}`)
      const isThere = (rgba: Uint8Array, at: number): boolean => at % 4 === 3 && (rgba[at] ?? 0) > 250
      const there = expected.filter((_, at) => isThere(expected, at)).length
      const missing = expected.filter((_, at) => isThere(expected, at) && !isThere(shown, at)).length
      assert.ok(there > 50_000 && missing < there / 50, `${path}: ${missing} of ${there} are missing`)
    }
  })

  it('is warped by GDAL', async () => {
    const to = join(server.sources, 'gdal-wms.tif')
    const address = `WMS:${server.url}/wms?SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap&LAYERS=default:countries&STYLES=&CRS=EPSG:4326&BBOX=-90,-180,90,180&FORMAT=image/png`
    await run('gdal_translate', ['-q', '-outsize', '720', '360', address, to])
    const { stdout } = await run('gdallocationinfo', ['-valonly', '-wgs84', to, '10', '51'])
    const [red = 0, green = 0, blue = 0] = stdout.trim().split('\n').map(Number)
    assert.deepEqual([red, green, blue], [0, 0, 255])
    const sea = (await run('gdallocationinfo', ['-valonly', '-wgs84', to, '-30', '30'])).stdout
    assert.deepEqual(sea.trim().split('\n').slice(0, 3), ['255', '255', '255'])
  })
})
