import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { MapBrowser, ShownMap } from '../../support/browser.ts'
import { startBrowser } from '../../support/browser.ts'
import { paintFlat } from '../../support/flat-style.ts'
import { documentedPage, showLeaflet, showOpenLayers } from '../../support/map-pages.ts'
import { colouredShares, differentCells } from '../../support/pictures.ts'
import { rasterize } from '../../support/rasterized.ts'
import type { ServedMaps } from '../../support/served-maps.ts'
import { serveMaps } from '../../support/served-maps.ts'

const colour = '#4477aa'
/** Tolerance as a share of a cell of 32 by 32 pixels, where edges are antialiased. */
const edges = 0.06

const inDegrees: [string, string] = [
  'zoom: 1',
  "resolution: 360 / 512, multiWorld: true, projection: 'EPSG:4326'",
]
const asTiles: [string, string][] = [
  ['layer.Image(', 'layer.Tile('],
  ['source.ImageWMS(', 'source.TileWMS('],
  ['          ratio: 1,\n', ''],
]
const olderVersion: [string, string] = [
  "LAYERS: 'default:countries'",
  "LAYERS: 'default:countries', VERSION: '1.1.1'",
]

describe('WMS, WMTS, TMS and WFS in pages of other origins', () => {
  const ends: (() => void)[] = []
  let server: ServedMaps
  let browser: MapBrowser
  before(async () => {
    const cleanup = { after: (work: () => void) => ends.push(work) }
    browser = await startBrowser(cleanup)
    server = await serveMaps(cleanup)
    await paintFlat(server, colour)
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })

  const truths = new Map<string, number[]>()
  /** Fails unless a page shows the countries where GDAL draws them, without errors or warnings. */
  const assertDrawn = async (shown: ShownMap, name: string, grid: 'metres' | 'degrees' = 'metres') => {
    const path = join(server.sources, 'countries.geojson')
    const degrees = { extent: [-180, -180, 180, 180] as [number, number, number, number], srs: 'EPSG:4326' }
    const expected =
      truths.get(grid) ??
      (await colouredShares(
        readFileSync(await rasterize(path, `${path}.${grid}.tif`, ...(grid === 'degrees' ? [degrees] : []))),
        '#000000',
      ))
    truths.set(grid, expected)
    const drawn = await colouredShares(await shown.picture(), colour)
    assert.deepEqual(differentCells(drawn, expected, edges), [], name)
    assert.deepEqual(shown.complaints, [], name)
    await shown.close()
  }

  it('OpenLayers shows WMS as one picture and as tiles, by both versions and orders of axes', async () => {
    for (const version of [[], [olderVersion]])
      for (const kind of [[], asTiles])
        for (const view of [[], [inDegrees]]) {
          const changes = [...version, ...kind, ...view]
          const page = documentedPage('docs/wms.md > In web pages > html 1', server, changes)
          const grid = view.length > 0 ? 'degrees' : 'metres'
          await assertDrawn(await showOpenLayers(browser, page), JSON.stringify(changes), grid)
        }
  })

  it('Leaflet shows WMS by both versions', async () => {
    for (const version of ['1.3.0', '1.1.1']) {
      const page = documentedPage('docs/wms.md > In web pages > html 2', server, [['1.3.0', version]])
      await assertDrawn(await showLeaflet(browser, page), version)
    }
  })

  it('OpenLayers shows WMTS by its capabilities, in each set of matrices', async () => {
    for (const [set, grid] of [
      ['WebMercatorQuad', 'metres'],
      ['EPSG:3857', 'metres'],
      ['EPSG:4326', 'degrees'],
      ['WorldCRS84Quad', 'degrees'],
    ] as const) {
      const changes: [string, string][] = [
        ['WebMercatorQuad', set],
        ...(grid === 'degrees' ? [inDegrees] : []),
      ]
      const page = documentedPage('docs/wmts.md > In web pages > html 1', server, changes)
      await assertDrawn(await showOpenLayers(browser, page), set, grid)
    }
  })

  it('Leaflet shows TMS', async () => {
    const page = documentedPage('docs/wmts.md > In web pages > html 2', server)
    await assertDrawn(await showLeaflet(browser, page), 'TMS')
  })

  it('OpenLayers shows the features of WFS as GeoJSON', async () => {
    const page = documentedPage('docs/wfs.md > In web pages > html 1', server)
    await assertDrawn(await showOpenLayers(browser, page), 'GeoJSON')
  })
})
