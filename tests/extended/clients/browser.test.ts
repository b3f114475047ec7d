import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { MapBrowser, ShownMap } from '../../support/browser.ts'
import { startBrowser } from '../../support/browser.ts'
import {
  documentedPage,
  mapLibrePage,
  showLeaflet,
  showMapLibre,
  showOpenLayers,
} from '../../support/map-pages.ts'
import { logIn, makeToken } from '../../support/map-token.ts'
import { colouredShares, differentCells, differentColours, meanColours } from '../../support/pictures.ts'
import { rasterize, warp } from '../../support/rasterized.ts'
import type { ServedMaps } from '../../support/served-maps.ts'
import { serveMaps } from '../../support/served-maps.ts'

const run = promisify(execFile)
const colour = '#4477aa'
/**
 * Tolerance as a share of a cell of 32 by 32 pixels: one program antialiases edges, the other draws whole
 * pixels.
 */
const edges = 0.05
/** MapLibre draws an edge of a pixel around each polygon, which makes islands larger. */
const sharpEdges: [string, string] = ["'fill-color'", "'fill-antialias': false, 'fill-color'"]
const world = { view: { center: [0, 0] as [number, number], zoom: 0 } }

const halfWorld = 20_037_508.342789244

function mercatorOf(longitude: number, latitude: number): [number, number] {
  const radius = 6_378_137
  const radians = Math.PI / 180
  return [radius * longitude * radians, radius * Math.asinh(Math.tan(latitude * radians))]
}

const shownByMapLibre = (column: string): string =>
  `[...new Set(map.queryRenderedFeatures().map((one) => one.properties.${column}))]`
const shownByOpenLayers = (column: string): string =>
  `[...new Set(map.getLayers().item(0).getFeaturesInExtent(map.getView().calculateExtent()).map((one) => one.get('${column}')))]`

describe('maps in a browser', () => {
  const ends: (() => void)[] = []
  let server: ServedMaps
  let browser: MapBrowser
  let token = ''
  before(async () => {
    const cleanup = { after: (work: () => void) => ends.push(work) }
    browser = await startBrowser(cleanup)
    server = await serveMaps(cleanup, { TERRANE_CORS_ORIGINS: browser.origins[1] })
    token = await makeToken(server)
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })

  const kept = new Map<string, Promise<unknown>>()
  /** Returns the result of the first call with this key. */
  const once = <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const known = kept.get(key) as Promise<T> | undefined
    const result = known ?? work()
    kept.set(key, result)
    return result
  }
  /** The different values of a column of the file that a layer was made of. */
  const valuesOf = (file: string, column: string): Promise<string[]> =>
    once(`${file} ${column}`, async () => {
      const path = join(server.sources, file)
      const args = ['-f', 'CSV', '/vsistdout/', '-select', column, path]
      const { stdout } = await run('ogr2ogr', args, { maxBuffer: 64 << 20 })
      const lines = stdout.trim().split('\n').slice(1)
      return [...new Set(lines.map((line) => line.replaceAll('"', '')))].sort()
    })
  /** Returns the share of pixels that GDAL colours for a file, per cell of the world. */
  const sharesOf = (file: string): Promise<number[]> =>
    once(file, async () => {
      const path = join(server.sources, file)
      return colouredShares(readFileSync(await rasterize(path, `${path}.tif`)), '#000000')
    })
  /**
   * Fails unless a page shows all features of a file at the positions where GDAL draws them, without errors
   * or warnings.
   */
  const assertShows = async (
    shown: ShownMap,
    file: string,
    { column, names }: { column: string; names: (column: string) => string },
  ): Promise<void> => {
    const found = await shown.when<string[]>(names(column))
    assert.deepEqual(found.sort(), await valuesOf(file, column))
    const expected = await sharesOf(file)
    assert.deepEqual(differentCells(await colouredShares(await shown.picture(), colour), expected, edges), [])
    assert.deepEqual(shown.complaints, [])
    await shown.close()
  }
  const asSecret: [string, string] = ['countries', 'secret']

  it('MapLibre draws the polygons of the world by the style of the server', async () => {
    const shown = await showMapLibre(
      browser,
      documentedPage('docs/maps.md > MapLibre > html 1', server),
      world,
    )
    const names = await shown.when<string[]>(shownByMapLibre('NAME'))
    assert.deepEqual(names.sort(), await valuesOf('countries.geojson', 'NAME'))
    assert.deepEqual(shown.complaints, [])
    await shown.close()
  })

  it('MapLibre draws the polygons of the world from TileJSON', async () => {
    const page = documentedPage('docs/maps.md > MapLibre > html 2', server, [sharpEdges])
    const shown = await showMapLibre(browser, page, world)
    await assertShows(shown, 'countries.geojson', { column: 'NAME', names: shownByMapLibre })
  })

  it('OpenLayers draws the polygons of the world from the addresses of tiles', async () => {
    const shown = await showOpenLayers(browser, documentedPage('docs/maps.md > OpenLayers > html 1', server))
    await assertShows(shown, 'countries.geojson', { column: 'NAME', names: shownByOpenLayers })
  })

  it('OpenLayers draws the polygons of the world by OGC API Tiles', async () => {
    const shown = await showOpenLayers(browser, documentedPage('docs/maps.md > OpenLayers > html 2', server))
    await assertShows(shown, 'countries.geojson', { column: 'NAME', names: shownByOpenLayers })
  })

  it('OpenLayers draws tiles in longitude and latitude', async () => {
    const page = documentedPage('docs/maps.md > OpenLayers > html 2', server, [
      ["WebMercatorQuad'", "WorldCRS84Quad', projection: 'EPSG:4326'"],
      ['zoom: 1', "resolution: 360 / 512, multiWorld: true, projection: 'EPSG:4326'"],
    ])
    const shown = await showOpenLayers(browser, page)
    const found = await shown.when<string[]>(shownByOpenLayers('NAME'))
    assert.deepEqual(found.sort(), await valuesOf('countries.geojson', 'NAME'))
    const path = join(server.sources, 'countries.geojson')
    const truth = await rasterize(path, `${path}.tif`, { extent: [-180, -180, 180, 180], srs: 'EPSG:4326' })
    const expected = await colouredShares(readFileSync(truth), '#000000')
    assert.deepEqual(differentCells(await colouredShares(await shown.picture(), colour), expected, edges), [])
    assert.deepEqual(shown.complaints, [])
    await shown.close()
  })

  it('MapLibre, OpenLayers and Leaflet draw a raster where GDAL has it', async () => {
    const pages = {
      MapLibre: await showMapLibre(browser, documentedPage('docs/maps.md > MapLibre > html 3', server)),
      OpenLayers: await showOpenLayers(browser, documentedPage('docs/maps.md > OpenLayers > html 3', server)),
      Leaflet: await showLeaflet(browser, documentedPage('docs/maps.md > Leaflet > html 1', server)),
    }
    const [x, y] = mercatorOf(-77.75, 24.55)
    const half = halfWorld / 2 ** 6
    const truth = join(server.sources, 'warped.tif')
    await warp(join(server.sources, 'islands.tif'), [x - half, y - half, x + half, y + half], truth)
    const expected = await meanColours(readFileSync(truth))
    for (const [client, shown] of Object.entries(pages)) {
      assert.deepEqual(differentColours(await meanColours(await shown.picture()), expected), [], client)
      assert.deepEqual(shown.complaints, [], client)
      await shown.close()
    }
  })

  it('MapLibre draws a polygon across the 180th meridian in one piece', async () => {
    const page = documentedPage('docs/maps.md > MapLibre > html 2', server, [
      sharpEdges,
      ['countries', 'crossing'],
    ])
    const latitude = -20.35
    const shown = await showMapLibre(browser, page, { view: { center: [180, latitude], zoom: 3 } })
    const [, y] = mercatorOf(0, latitude)
    const half = halfWorld / 2 ** 3
    const path = join(server.sources, 'crossing.geojson')
    const truth = await rasterize(path, `${path}.tif`, {
      extent: [-half, y - half, half, y + half],
      srs: '+proj=merc +lon_0=180 +R=6378137 +units=m',
      where: "name = 'box'",
    })
    const expected = await colouredShares(readFileSync(truth), '#000000')
    assert.deepEqual(differentCells(await colouredShares(await shown.picture(), colour), expected, edges), [])
    assert.deepEqual(shown.complaints, [])
    await shown.close()
  })

  it('MapLibre draws polygons, lines and points out of one tile', async () => {
    const layers = ['countries', 'boundary_lines', 'places']
    const style = {
      version: 8,
      sources: {
        all: { type: 'vector', url: `${server.url}/tiles/${layers.map((one) => `default:${one}`)}` },
      },
      layers: [
        {
          id: 'countries',
          type: 'fill',
          source: 'all',
          'source-layer': 'countries',
          paint: { 'fill-color': '#ddeeff' },
        },
        {
          id: 'boundary_lines',
          type: 'line',
          source: 'all',
          'source-layer': 'boundary_lines',
          paint: { 'line-color': '#dd2222' },
        },
        {
          id: 'places',
          type: 'circle',
          source: 'all',
          'source-layer': 'places',
          paint: { 'circle-radius': 3, 'circle-color': '#4477aa' },
        },
      ],
    }
    const page = mapLibrePage(style)
    const shown = await showMapLibre(browser, page, world)
    const count = (layer: string): Promise<number> =>
      shown.when(
        `new Set(map.queryRenderedFeatures({ layers: ['${layer}'] }).map((one) => one.id ?? JSON.stringify(one.properties))).size`,
      )
    const expected = [242, 185, (await valuesOf('places.geojson', 'name')).length]
    assert.deepEqual(await Promise.all(layers.map(count)), expected)
    assert.deepEqual(shown.complaints, [])
    await shown.close()
  })

  it('MapLibre signs in with a header', async () => {
    const page = documentedPage('docs/maps.md > Layers that are not public > html 1', server, [
      sharpEdges,
      asSecret,
      ['TOKEN', token],
    ])
    const shown = await showMapLibre(browser, page, { ...world, origin: browser.origins[1] })
    await assertShows(shown, 'states.shp', { column: 'name', names: shownByMapLibre })
  })

  it('MapLibre takes the token from the address of TileJSON to those of tiles', async () => {
    const page = documentedPage('docs/maps.md > MapLibre > html 2', server, [
      sharpEdges,
      asSecret,
      ['default:secret', `default:secret?access_token=${token}`],
    ])
    const shown = await showMapLibre(browser, page, { ...world, origin: browser.origins[1] })
    await assertShows(shown, 'states.shp', { column: 'name', names: shownByMapLibre })
  })

  it('OpenLayers signs in with the token in the address', async () => {
    const page = documentedPage('docs/maps.md > OpenLayers > html 1', server, [
      asSecret,
      ['.mvt', `.mvt?access_token=${token}`],
    ])
    const shown = await showOpenLayers(browser, page, { origin: browser.origins[1] })
    await assertShows(shown, 'states.shp', { column: 'name', names: shownByOpenLayers })
  })

  it('a page on the address of the server signs in with the session', async () => {
    const page = documentedPage('docs/maps.md > MapLibre > html 2', server, [sharpEdges, asSecret])
    const from = { origin: server.url, cookie: await logIn(server) }
    const shown = await showMapLibre(browser, page, { ...world, ...from })
    await assertShows(shown, 'states.shp', { column: 'name', names: shownByMapLibre })
  })

  it('without signing in there is nothing to see, and the page is told', async () => {
    const page = documentedPage('docs/maps.md > MapLibre > html 2', server, [asSecret])
    const shown = await browser.open(
      page.replace(
        /<\/script>\s*$/,
        ";map.on('error', (told) => { globalThis.told = told.error.status })</script>",
      ),
    )
    assert.equal(await shown.when('globalThis.told'), 404)
    await shown.close()
  })
})
