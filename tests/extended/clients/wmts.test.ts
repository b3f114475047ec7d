import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { blockAt } from '../../support/document-blocks.ts'
import { runCommands } from '../../support/document-commands.ts'
import { paintFlat } from '../../support/flat-style.ts'
import { colouredShares, differentCells } from '../../support/pictures.ts'
import type { Qgis } from '../../support/qgis.ts'
import { squareOf, startQgis } from '../../support/qgis.ts'
import { rasterize } from '../../support/rasterized.ts'
import type { ServedMaps } from '../../support/served-maps.ts'
import { serveMaps } from '../../support/served-maps.ts'
import { userAndPassword } from '../../support/server.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const run = promisify(execFile)

/** Requests the capabilities and a tile with OWSLib. */
const owslib = `
import json, sys
from owslib.wmts import WebMapTileService
wmts = WebMapTileService(sys.argv[1])
layer = wmts['default:countries']
tile = wmts.gettile(layer='default:countries', tilematrixset='EPSG:4326', tilematrix='EPSG:4326:1', row=0, column=2, format='image/png').read()
print(json.dumps(dict(
    layers=sorted(wmts.contents),
    sets=sorted(wmts.tilematrixsets),
    box=layer.boundingBoxWGS84,
    corner=wmts.tilematrixsets['EPSG:4326'].tilematrix['EPSG:4326:0'].topleftcorner,
    formats=layer.formats,
    operations=sorted(operation.name for operation in wmts.operations),
    tile=tile[:8].hex(),
)))
`

describe('WMTS and TMS in the programs of others', () => {
  const ends: (() => void)[] = []
  let server: ServedMaps
  let qgis: Qgis
  before(async () => {
    const cleanup = { after: (work: () => void) => ends.push(work) }
    server = await serveMaps(cleanup)
    qgis = startQgis(cleanup)
    await paintFlat(server, '#0000ff')
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })

  it('are drawn by QGIS where the file has its shapes', async () => {
    const path = join(server.sources, 'countries.geojson')
    const expected = await colouredShares(readFileSync(await rasterize(path, `${path}.tif`)), '#000000')
    const capabilities = encodeURIComponent(`${server.url}/wmts?service=WMTS&request=GetCapabilities`)
    const set = (name: string, crs: string): string =>
      `${new URLSearchParams({ layers: 'default:countries', styles: 'flat', crs, format: 'image/png', tileMatrixSet: name })}&url=${capabilities}`
    const xyz = encodeURIComponent(`${server.url}/tiles/default:countries/{z}/{x}/{y}.png`)
    for (const [name, uri] of [
      ['WebMercatorQuad', set('WebMercatorQuad', 'EPSG:3857')],
      ['EPSG:3857', set('EPSG:3857', 'EPSG:3857')],
      ['xyz', `type=xyz&url=${xyz}&zmin=0&zmax=18`],
    ] as const) {
      const to = join(server.sources, `${name.replace(':', '-')}.png`)
      const request = { do: 'draw', layers: [{ kind: 'picture', uri }], extent: squareOf(), to }
      assert.deepEqual((await qgis.ask<{ errors: string[] }>(request)).errors, [], name)
      assert.deepEqual(
        differentCells(await colouredShares(readFileSync(to), '#0000ff'), expected, 0.08),
        [],
        name,
      )
    }
  })

  it('are read by OWSLib', async () => {
    const { stdout } = await run('/usr/bin/python3', ['-c', owslib, `${server.url}/wmts`])
    const reported = JSON.parse(stdout) as Record<string, unknown>
    assert.ok((reported.layers as string[]).includes('default:countries'))
    assert.ok(!(reported.layers as string[]).includes('default:secret'))
    assert.deepEqual(reported.sets, [
      'EPSG:3857',
      'EPSG:4326',
      'EPSG:900913',
      'WebMercatorQuad',
      'WorldCRS84Quad',
    ])
    assert.deepEqual((reported.corner as number[]).map(Math.round), [90, -180])
    assert.deepEqual(reported.operations, ['GetCapabilities', 'GetFeatureInfo', 'GetTile'])
    assert.equal(reported.tile, '89504e470d0a1a0a')
  })

  it('are read by GDAL, as WMTS and as TMS', async () => {
    const tms = `${server.url}/gwc/service/tms/1.0.0/default:countries@EPSG:3857@png`
    for (const [name, address] of [
      [
        'wmts',
        `WMTS:${server.url}/wmts/1.0.0/WMTSCapabilities.xml,layer=default:countries,tilematrixset=WebMercatorQuad,zoom_level=3`,
      ],
      [
        'degrees',
        `WMTS:${server.url}/wmts/1.0.0/WMTSCapabilities.xml,layer=default:countries,tilematrixset=EPSG:4326,zoom_level=3`,
      ],
      ['tms', `${tms}`],
    ] as const) {
      const to = join(server.sources, `gdal-${name}.tif`)
      await run('gdal_translate', ['-q', '-outsize', '2048', '0', address, to], { cwd: server.sources })
      const at = async (longitude: string, latitude: string): Promise<number[]> => {
        const { stdout } = await run('gdallocationinfo', ['-valonly', '-wgs84', to, longitude, latitude])
        return stdout.trim().split('\n').map(Number)
      }
      // GDAL takes TMS for pictures without transparency.
      const bands = name === 'tms' ? 3 : 4
      assert.deepEqual(await at('10', '51'), [0, 0, 255, 255].slice(0, bands), name)
      assert.equal((await at('-30', '30')).at(-1), 0, name)
    }
  })

  it('answer the commands of their document', async (t) => {
    const folder = temporaryData(t)
    const password = userAndPassword.slice('admin:'.length)
    const commands = blockAt('docs/wmts.md > WMTS and TMS > sh 1').replaceAll(
      'http://127.0.0.1:8080',
      server.url,
    )
    const { code, stdout, stderr } = await runCommands(commands, { PASSWORD: password }, folder)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /<Capabilities xmlns="http:\/\/www.opengis.net\/wmts\/1.0"/)
    const [tile, path] = ['tile.png', 'path.png'].map((name) => readFileSync(join(folder, name)))
    assert.ok(tile && path?.equals(tile))
  })
})
