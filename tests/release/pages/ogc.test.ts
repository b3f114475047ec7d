import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { asAdmin, loadTable } from '../../pages/support/import-data.ts'
import { closeBrowser, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound } from '../../pages/support/states.ts'

const long = `<img src=x onerror=alert(1)> \u202eמִלִּים 🗺️ ${'Donaudampfschiff'.repeat(600)}`
const countries = '/ogc/collections/default:countries'
const paths = [
  '/ogc',
  '/ogc/conformance',
  '/ogc/api',
  '/ogc/collections',
  '/ogc/catalogue/collections/layers/items',
  countries,
  `${countries}/items?limit=10`,
  `${countries}/items/5`,
  `${countries}/queryables`,
  `${countries}/tiles/WebMercatorQuad`,
  '/ogc/nothing',
  `${countries}/items?filter=NAME%20=`,
  '/ogc/collections/default:hostile',
  '/ogc/collections/default:hostile/items',
  '/ogc/collections/default:hostile/items/1',
]

describe('pages below /ogc in a browser', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)
  await loadTable(server, { 'hostile.csv': `name,lat,lon\n"${long}",52,13\n` })
  await asAdmin(server, 'PUT', '/rest/layers/default:hostile', {
    layer: { title: long.slice(0, 200), abstract: long },
  })
  await asAdmin(server, 'PUT', '/rest/workspaces/default', { workspace: { public: true } })

  for (const [width, colorScheme, locale] of [
    [390, 'dark', 'de'],
    [1440, 'light', 'en'],
  ] as const)
    it(`are sound at ${width} pixels, ${colorScheme}`, async (t) => {
      const shown = await showPages(t, server, { width, colorScheme, locale })
      for (const path of paths) {
        await shown.open(path)
        await expectSound(shown, `ogc${path.replaceAll(/\W+/g, '-')}-${width}`)
        assert.equal(await shown.page.getAttribute('html', 'lang'), locale)
        if (width !== 1440) continue
        await shown.page.setViewportSize({ width: 768, height: 900 })
        assert.deepEqual(await shown.wide(), [], `${path} at 768`)
        await shown.page.setViewportSize({ width, height: 900 })
      }
    })

  it('are read, filtered and left by keyboard without JavaScript', async (t) => {
    const { page: scripted } = await showPages(t, server)
    const context = await scripted.context().browser()?.newContext({ javaScriptEnabled: false, locale: 'en' })
    assert.ok(context)
    t.after(() => context.close())
    const page = await context.newPage()
    await page.goto(`${server.url}/ogc`)
    await page.getByRole('link', { name: 'Collections' }).first().click()
    await page.getByRole('link', { name: 'countries' }).click()
    assert.equal(await page.locator('.map > img').count(), 1)
    await page.getByRole('link', { name: 'Look at the features' }).click()
    await page.getByLabel('Filter').fill("NAME LIKE 'Ger%'")
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '1 to 1 of 1' }).waitFor()
    assert.match(page.url(), /filter=NAME\+LIKE\+%27Ger%25%27/)
    await page.locator('tbody th a').click()
    await page.getByRole('heading', { name: /Feature \d+/ }).waitFor()
    assert.ok((await page.locator('svg.drawn path').count()) > 0)
  })

  it('show the map in the place of its picture where a script runs', async (t) => {
    const shown = await showPages(t, server)
    await shown.open(countries)
    await shown.page.frameLocator('.map iframe').locator('canvas').waitFor()
    assert.deepEqual(shown.faults, [])
  })
})
