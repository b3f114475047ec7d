import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { MapBrowser } from '../../support/browser.ts'
import { startBrowser } from '../../support/browser.ts'
import { mapLibrePage, showMapLibre } from '../../support/map-pages.ts'
import { colouredShares, differentCells, differentColours, meanColours } from '../../support/pictures.ts'
import type { Qgis } from '../../support/qgis.ts'
import { squareOf, startQgis, tilesOf } from '../../support/qgis.ts'
import type { ServedMaps } from '../../support/served-maps.ts'
import { serveMaps } from '../../support/served-maps.ts'
import { userAndPassword } from '../../support/server.ts'

/** Colours of Paul Tol's palette for colour-blind people. */
const colours = ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#bbbbbb']
/** Colour of lines and points without a style of their own. */
const ownColour = '#2b6cb0'
const authorization = `Basic ${Buffer.from(userAndPassword).toString('base64')}`
const types = { qml: 'application/vnd.qgis.qml+xml', sld: 'application/vnd.ogc.sld+xml' } as const
const formats = ['qml', 'sld'] as const
const files: Record<string, string> = {
  countries: 'countries.geojson',
  boundary_lines: 'boundary_lines.shp',
  places: 'places.geojson',
}

describe('styles between QGIS, the server and MapLibre', () => {
  const ends: (() => void)[] = []
  let server: ServedMaps
  let browser: MapBrowser
  let qgis: Qgis
  before(async () => {
    const cleanup = { after: (work: () => void) => ends.push(work) }
    browser = await startBrowser(cleanup)
    server = await serveMaps(cleanup)
    qgis = startQgis(cleanup)
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })

  const sourceOf = (layer: string): string => join(server.sources, files[layer] ?? '')
  const drawnByMapLibre = async (layer: string, query = ''): Promise<Buffer> => {
    const page = mapLibrePage(`${server.url}/tiles/default:${layer}/style.json${query}`)
    const shown = await showMapLibre(browser, page, { view: { center: [0, 0], zoom: 0 } })
    const picture = await shown.picture()
    assert.deepEqual(shown.complaints, [])
    await shown.close()
    return picture
  }
  /** Thin things colour little of a cell: it is their own colour that is counted. */
  const assertAlike = async (actual: Uint8Array, expected: Uint8Array, what: string): Promise<void> => {
    const [there, selected] = [
      await colouredShares(actual, ownColour),
      await colouredShares(expected, ownColour),
    ]
    assert.ok(selected.some((share) => share > 0.1))
    assert.deepEqual(differentCells(there, selected, 0.08), [], what)
  }

  it('MapLibre draws what QGIS saved, as QGIS draws it', async () => {
    const to = join(server.sources, 'categories')
    const request = { kind: 'ogr', uri: sourceOf('countries'), column: 'MAPCOLOR7', colours }
    await qgis.ask({ do: 'categories', ...request, extent: squareOf(), to })
    for (const format of formats) {
      const reply = await fetch(`${server.url}/rest/workspaces/default/styles?name=by_${format}`, {
        method: 'POST',
        headers: { authorization, 'content-type': types[format] },
        body: readFileSync(`${to}.${format}`),
      })
      assert.equal(reply.status, 201, await reply.text())
      await server.call('PUT', '/rest/layers/default:countries', {
        layer: { defaultStyle: { name: `by_${format}` } },
      })
      const drawn = await drawnByMapLibre('countries')
      const expected = await meanColours(readFileSync(`${to}.png`))
      assert.deepEqual(differentColours(await meanColours(drawn), expected), [], format)
    }
  })

  it('QGIS draws the styles of the server as MapLibre does', async () => {
    for (const layer of ['boundary_lines', 'places']) {
      const expected = await drawnByMapLibre(layer)
      const to = join(server.sources, `${layer}.png`)
      const request = { kind: 'ogr', uri: sourceOf(layer), extent: squareOf(), to }
      const { json } = await server.call('GET', `/rest/layers/default:${layer}`)
      for (const format of formats) {
        const name = String(json.layer?.defaultStyle?.name)
        const reply = await fetch(`${server.url}/rest/styles/${name}.${format}`, {
          headers: { authorization },
        })
        const style = join(server.sources, `${layer}.${format}`)
        writeFileSync(style, await reply.text())
        const reported = await qgis.ask<{ message: string; isLoaded: boolean }>({
          do: 'style',
          ...request,
          style,
        })
        assert.equal(reported.isLoaded, true, reported.message)
        await assertAlike(readFileSync(to), expected, `${layer} by ${format}`)
      }
      const address = `${server.url}/tiles/default:${layer}`
      const uri = tilesOf(`${address}/{z}/{x}/{y}.mvt`, { styleUrl: `${address}/style.json` })
      await qgis.ask({ do: 'draw', layers: [{ kind: 'tiles', uri }], extent: squareOf(), to })
      await assertAlike(readFileSync(to), expected, `${layer} by tiles`)
    }
  })
})
