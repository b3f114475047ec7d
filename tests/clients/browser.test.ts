import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { MapBrowser } from '../support/browser.ts'
import { startBrowser } from '../support/browser.ts'
import { documentedPage, showMapLibre, showOpenLayers } from '../support/map-pages.ts'
import { colouredShares, differentCells } from '../support/pictures.ts'
import { rasterize } from '../support/rasterized.ts'
import type { ServedMaps } from '../support/served-maps.ts'
import { serveMaps } from '../support/served-maps.ts'

const run = promisify(execFile)
/** Edges are drawn smooth by one and by the pixel by another: of a cell of 32 by 32 pixels, so much may differ. */
const edges = 0.05
/** MapLibre draws an edge of a pixel around each polygon, which makes islands larger. */
const sharpEdges: [string, string][] = [["'fill-color'", "'fill-antialias': false, 'fill-color'"]]
const colour = '#4477aa'

describe('maps in a browser', { timeout: 240_000 }, () => {
  const ends: (() => void)[] = []
  let server: ServedMaps
  let browser: MapBrowser
  before(async () => {
    const cleanup = { after: (work: () => void) => ends.push(work) }
    server = await serveMaps(cleanup)
    browser = await startBrowser(cleanup)
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })

  /** The values of a column of the file that a layer was made of. */
  const valuesOf = async (file: string, column: string): Promise<string[]> => {
    const { stdout } = await run(
      'ogr2ogr',
      ['-f', 'CSV', '/vsistdout/', '-select', column, join(server.sources, file)],
      { maxBuffer: 64 << 20 },
    )
    return stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.replaceAll('"', ''))
      .sort()
  }
  const drawnBy = async (file: string): Promise<number[]> =>
    colouredShares(
      readFileSync(await rasterize(join(server.sources, file), join(server.sources, `${file}.tif`))),
      '#000000',
    )

  it('MapLibre draws the polygons of the world from TileJSON', async () => {
    const shown = await showMapLibre(
      browser,
      documentedPage('docs/maps.md > MapLibre > html 1', server, sharpEdges),
      {
        center: [0, 0],
        zoom: 0,
      },
    )
    const names = await shown.when<string[]>(
      `[...new Set(map.queryRenderedFeatures().map((f) => f.properties.NAME))].sort()`,
    )
    assert.deepEqual(names.sort(), await valuesOf('countries.geojson', 'NAME'))
    assert.deepEqual(
      differentCells(
        await colouredShares(await shown.picture(), colour),
        await drawnBy('countries.geojson'),
        edges,
      ),
      [],
    )
    const cut = shown.complaints.filter((text) => !text.startsWith('Geometry exceeds allowed extent'))
    assert.deepEqual(cut, [])
    await shown.close()
  })

  it('OpenLayers draws the polygons of the world from the addresses of tiles', async () => {
    const shown = await showOpenLayers(browser, documentedPage('docs/maps.md > OpenLayers > html 1', server))
    const names = await shown.when<string[]>(
      `[...new Set(map.getLayers().item(0).getFeaturesInExtent(map.getView().calculateExtent()).map((f) => f.get('NAME')))]`,
    )
    assert.deepEqual(names.sort(), await valuesOf('countries.geojson', 'NAME'))
    assert.deepEqual(
      differentCells(
        await colouredShares(await shown.picture(), colour),
        await drawnBy('countries.geojson'),
        edges,
      ),
      [],
    )
    assert.deepEqual(shown.complaints, [])
    await shown.close()
  })
})
