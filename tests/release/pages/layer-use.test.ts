import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { asAdmin } from '../../pages/support/import-data.ts'
import {
  closeBrowser,
  password,
  type ShownPage,
  showPages,
  startPageServer,
} from '../../pages/support/shown-pages.ts'
import { expectSound } from '../../pages/support/states.ts'
import type { MapBrowser, ShownMap } from '../../support/browser.ts'
import { startBrowser } from '../../support/browser.ts'
import { showMapLibre, showOpenLayers } from '../../support/map-pages.ts'
import { makeGranule } from '../../support/mosaics.ts'
import { startQgis } from '../../support/qgis.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const run = promisify(execFile)
const countries = 242
const header = { authorization: `Basic ${btoa(`admin:${password}`)}`, 'content-type': 'application/json' }

describe('the code for other programs', async () => {
  const server = await startPageServer({ after })
  const folder = temporaryData({ after })
  const codes = new Map<string, string>()
  let token = ''
  const send = async (method: string, path: string, body: object): Promise<Record<string, unknown>> => {
    const reply = await fetch(server.url + path, { method, headers: header, body: JSON.stringify(body) })
    const text = await reply.text()
    assert.ok(reply.ok, `${path}: ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }
  const readCodes = async (shown: ShownPage, kind: string): Promise<void> => {
    for (const tab of await shown.page.locator('.use-it [role=tab]').all()) {
      await tab.click()
      codes.set(`${kind} ${await tab.innerText()}`, await shown.page.locator('.use-it pre').innerText())
    }
  }
  const codeOf = (name: string): string => codes.get(name) ?? assert.fail(`${name} is not shown`)
  let browser: MapBrowser
  const ends: (() => void)[] = []

  before(async () => {
    const shown = await showPages({ after }, server)
    await shown.signIn('/app/layers/default:countries?use=Python')
    await shown.page.waitForSelector('.use-it pre')
    assert.match(await shown.page.locator('.use-it pre').innerText(), /urllib/)
    await expectSound(shown, 'use-it-in-private')
    await readCodes(shown, 'private')
    await send('PUT', '/rest/workspaces/default', { workspace: { public: true } })
    await shown.page.reload()
    await shown.page.waitForSelector('.use-it pre')
    await readCodes(shown, 'public')
    await expectSound(shown, 'use-it-in-public')
    await closeBrowser()
    const made = await send('POST', '/rest/security/tokens', { token: { name: 'maps' } })
    token = String((made['token'] as { value: string }).value)
    browser = await startBrowser({ after: (work) => void ends.push(work) })
  })
  after(() => {
    for (const end of ends) end()
  })

  it('is there for each program that can read features', () => {
    const names = ['QGIS', 'ArcGIS', 'MapLibre', 'Leaflet', 'OpenLayers', 'R', 'Python', 'GDAL', 'curl']
    for (const kind of ['private', 'public'])
      assert.deepEqual(
        [...codes.keys()].filter((one) => one.startsWith(kind)),
        names.map((one) => `${kind} ${one}`),
      )
  })

  it('stands beside addresses of services that answer as they are pasted', async () => {
    const shown = await showPages({ after }, server)
    await shown.signIn('/app/layers/default:countries')
    const list = shown.page.locator('.addresses li')
    await list.first().waitFor()
    const addresses = new Map<string, string>()
    for (const row of await list.all())
      addresses.set(await row.locator('b').innerText(), await row.locator('code').innerText())
    assert.deepEqual([...addresses.keys()], ['OGC API', 'WMS', 'WMTS', 'WFS', 'XYZ', 'MVT'])
    const services = new Set(['WMS', 'WMTS', 'WFS'])
    for (const [name, address] of addresses) {
      const ending = services.has(name) ? `?service=${name}&request=GetCapabilities` : ''
      const reply = await fetch(address.replace('{z}/{x}/{y}', '1/1/0') + ending, { headers: header })
      assert.equal(reply.status, 200, `${name} at ${address}`)
      if (ending !== '') assert.match(await reply.text(), /countries/)
    }
    await shown.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await list.getByRole('button', { name: 'Copy the address of WMS' }).click()
    await shown.page.locator('.toast').waitFor()
    assert.equal(await shown.page.evaluate('navigator.clipboard.readText()'), addresses.get('WMS'))
    await closeBrowser()
  })

  const names = `[...new Set(map.queryRenderedFeatures().map((one) => one.properties.NAME))].length > 100`
  it('runs as copied in pages of another origin: MapLibre, OpenLayers and Leaflet', async () => {
    const shown: ShownMap[] = [
      await showMapLibre(browser, codeOf('public MapLibre')),
      await showOpenLayers(browser, codeOf('public OpenLayers')),
      await browser.open(codeOf('public Leaflet')),
    ]
    const [mapLibre, openLayers, leaflet] = shown
    await mapLibre?.when(names)
    await openLayers?.when('map.getLayers().item(0).getFeaturesInExtent([-2e7, -2e7, 2e7, 2e7]).length > 100')
    await leaflet?.when(`document.querySelectorAll('path.leaflet-interactive').length === ${countries}`)
    for (const one of shown) {
      assert.deepEqual(one.complaints, [])
      await one.close()
    }
  })

  it('runs as copied in a shell and in Python, with a token in the place of TOKEN too', async () => {
    for (const kind of ['public', 'private']) {
      const of = (name: string): string => codeOf(`${kind} ${name}`).replaceAll('TOKEN', token)
      const { stdout } = await run('python3', ['-c', of('Python')])
      assert.match(stdout, new RegExp(`^${countries} rows`))
      await run('sh', ['-e', '-c', of('curl')], { cwd: folder })
      await run('sh', ['-e', '-c', of('GDAL').replace('ogr2ogr ', 'ogr2ogr -overwrite ')], { cwd: folder })
      const counted = await run(
        'ogrinfo',
        ['-q', '-sql', 'SELECT COUNT(*) AS n FROM countries', 'countries.geojson'],
        { cwd: folder },
      )
      assert.match(counted.stdout, new RegExp(`n \\(Integer\\) = ${countries}`))
    }
  })

  const noR = spawnSync('Rscript', ['-e', 'library(sf)']).status === 0 ? false : 'R with sf is not installed'
  it('runs as copied in R', { skip: noR }, async () => {
    for (const kind of ['public', 'private']) {
      const code = codeOf(`${kind} R`).replaceAll('TOKEN', token)
      const { stdout } = await run('Rscript', ['-e', code], { cwd: folder })
      assert.match(stdout, new RegExp(`${countries} features`))
    }
  })

  it('opens in QGIS by the file, with the style, whatever its title is', async () => {
    const title = `Länder <b>"&amp;' ]]> ${'ü'.repeat(200)} مرحبا 🌍`
    await send('PUT', '/rest/layers/default:countries', { layer: { title } })
    const classify = { attribute: 'POP_EST', classes: 4 }
    await send('POST', '/rest/layers/default:countries/styles', {
      style: { name: 'by-pop', default: true, classify },
    })
    const reply = await fetch(`${server.url}/tiles/default:countries/layer.qlr`)
    assert.equal(reply.status, 200)
    const file = join(folder, 'countries.qlr')
    writeFileSync(file, await reply.text())
    const report = join(folder, 'report.json')
    const script = `
import json
from qgis.core import QgsLayerDefinition, QgsProject
project = QgsProject.instance()
is_loaded, message = QgsLayerDefinition.loadLayerDefinition(${JSON.stringify(file)}, project, project.layerTreeRoot())
layer = list(project.mapLayers().values())[0]
found = {'loaded': is_loaded, 'valid': layer.isValid(), 'name': layer.name(), 'provider': layer.providerType(),
  'rows': len(list(layer.getFeatures())), 'renderer': layer.renderer().type(), 'rules': len(layer.renderer().rootRule().children())}
open(${JSON.stringify(report)}, 'w').write(json.dumps(found))
project.clear()
`
    await startQgis({ after }).ask({ do: 'script', script, to: folder, extent: [0, 0, 1, 1] })
    const found: unknown = JSON.parse((await run('cat', [report])).stdout)
    assert.deepEqual(found, {
      loaded: true,
      valid: true,
      name: title,
      provider: 'OAPIF',
      rows: countries,
      renderer: 'RuleRenderer',
      rules: 4,
    })
  })
})

describe('the code for other programs, as a visitor who is not signed in sees it', async () => {
  const server = await startPageServer({ after })
  const ends: (() => void)[] = []
  after(closeBrowser)
  after(() => {
    for (const end of ends) end()
  })
  const layers = ['countries', 'boundary_lines', 'crowd', 'list', 'relief', 'granules']

  /** Imports one file, or a folder below the import root as a mosaic. */
  async function load(name: string, content: string | Uint8Array<ArrayBuffer> | undefined, srs?: string) {
    const location = join(server.folder, 'incoming', name)
    const body = content === undefined ? { data: { type: 'mosaic', location } } : {}
    const made = (await asAdmin(server, 'POST', '/rest/imports', { import: body })) as {
      import: { id: number }
    }
    const path = `/rest/imports/${made.import.id}`
    if (content !== undefined) {
      const form = new FormData()
      form.append('filedata', new Blob([content]), name)
      await asAdmin(server, 'POST', `${path}/tasks`, form)
    }
    if (srs !== undefined) await asAdmin(server, 'PUT', `${path}/tasks/0/layer`, { layer: { srs } })
    await asAdmin(server, 'POST', path)
  }

  function pointsOf(count: number): string {
    const features = Array.from({ length: count }, (_, n) => ({
      type: 'Feature',
      properties: { n },
      geometry: { type: 'Point', coordinates: [n % 50, Math.floor(n / 50)] },
    }))
    return JSON.stringify({ type: 'FeatureCollection', features })
  }

  before(async () => {
    await load('crowd.geojson', pointsOf(1200))
    await load('list.csv', 'number,text\n1,one\n2,two\n', 'EPSG:4326')
    const raster = join(import.meta.dirname, '../../fixtures/raster/RGB.byte.tif')
    await load('relief.tif', new Uint8Array(readFileSync(raster)))
    for (const column of [0, 1])
      makeGranule(join(server.folder, 'incoming/granules', `${column}.tif`), { column })
    await load('granules', undefined)
  })

  const ways: Record<string, (layer: string, isOn: boolean) => Promise<unknown>> = {
    workspace: (_, isOn) =>
      asAdmin(server, 'PUT', '/rest/workspaces/default', { workspace: { public: isOn } }),
    layer: (layer, isOn) =>
      asAdmin(server, 'PUT', `/rest/layers/default:${layer}`, {
        layer: { public: isOn ? true : 'workspace' },
      }),
  }
  for (const [way, publish] of Object.entries(ways))
    for (const layer of layers)
      it(`is there without a login or a token: ${layer}, public by its ${way}`, async (t) => {
        await publish(layer, true)
        t.after(() => publish(layer, false))
        const shown = await showPages(t, server)
        const refused: string[] = []
        shown.page.on('response', (reply) => {
          if (reply.status() >= 400) refused.push(`${reply.status()} ${reply.url()}`)
        })
        await shown.open(`/app/layers/default:${layer}`)
        await shown.page.waitForSelector('.use-it pre')
        for (const tab of await shown.page.locator('.use-it [role=tab]').all()) {
          await tab.click()
          assert.doesNotMatch(await shown.page.locator('.use-it pre').innerText(), /TOKEN/)
        }
        assert.equal(await shown.page.locator('.use-it .note').count(), 0)
        assert.deepEqual([refused, shown.faults], [[], []])
      })

  it('shows a large layer in Leaflet by tiles, and fetches all of it by curl', async (t) => {
    await ways['layer']?.('crowd', true)
    const shown = await showPages(t, server)
    await shown.open('/app/layers/default:crowd?use=curl')
    const code = shown.page.locator('.use-it pre')
    await code.waitFor()
    const folder = temporaryData(t)
    await run('sh', ['-e', '-c', await code.innerText()], { cwd: folder })
    const file = JSON.parse(readFileSync(join(folder, 'crowd.geojson'), 'utf8')) as { features: unknown[] }
    assert.equal(file.features.length, 1200)
    await shown.page.getByRole('tab', { name: 'Leaflet' }).click()
    const browser = await startBrowser({ after: (work) => void ends.push(work) })
    const map = await browser.open(await code.innerText())
    await map.when("document.querySelectorAll('img.leaflet-tile-loaded').length > 0")
    assert.deepEqual(map.complaints, [])
    await map.close()
  })
})
