import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { closeBrowser, password, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound, expectSoundIn } from '../../pages/support/states.ts'

const drawn = '.canvas[data-drawn=yes]'
const headers = { authorization: `Basic ${btoa(`admin:${password}`)}`, 'content-type': 'application/json' }

describe('saved maps', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  async function saveMap(map: object): Promise<void> {
    const body = JSON.stringify({ map })
    const reply = await fetch(`${server.url}/rest/maps`, { method: 'POST', headers, body })
    assert.equal(reply.status, 201, await reply.text())
  }

  it('are made from a layer, saved, changed, found in the list and deleted', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn('/app/maps')
    await page.getByText('No saved maps').waitFor()
    await expectSound(shown, 'maps-empty-1440-light')
    await page.goto(`${server.url}/app/layers/default:countries`)
    await page.getByRole('link', { name: 'Add to map' }).click()
    await page.waitForSelector(drawn)
    await page.goto(`${server.url}/app/layers/default:boundary_lines`)
    await page.getByRole('link', { name: 'Add to map' }).click()
    await page.locator('.map-layers li').nth(1).waitFor()
    await page.waitForSelector(drawn)
    await page.getByRole('button', { name: 'Save as…' }).click()
    await page.getByLabel('Title').fill('Borders of the world')
    await page.getByLabel('Name').fill('borders')
    await expectSound(shown, 'maps-save-1440-light')
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Borders of the world' }).waitFor()
    await page.getByLabel('Opacity of countries').fill('40')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved Borders of the world.').first().waitFor()
    await page.goto(`${server.url}/app/maps`)
    await page.getByRole('link', { name: 'Borders of the world' }).click()
    await page.waitForSelector(drawn)
    assert.equal(await page.getByLabel('Opacity of countries').inputValue(), '40')
    await page.goto(`${server.url}/app/maps`)
    await page.getByRole('button', { name: 'Delete map Borders of the world' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No saved maps').waitFor()
    assert.deepEqual(shown.faults, [])
  })

  it('are opened and framed by their name, with the style and the filter of each layer', async (t) => {
    const layers = [
      { name: 'default:countries', filter: "SOVEREIGNT LIKE 'S%'" },
      { name: 'default:boundary_lines', style: 'generic', opacity: 0.5 },
    ]
    await saveMap({ name: 'filtered', title: 'Länder mit S', layers, public: true })
    const shown = await showPages(t, server)
    const { page } = shown
    for (const path of ['/app/map?map=filtered', '/embed/map?map=filtered']) {
      const isFiltered = (url: string): boolean =>
        /countries\/.*\.mvt/.test(url) && new URL(url).searchParams.get('filter') === "SOVEREIGNT LIKE 'S%'"
      const tile = page.waitForResponse((reply) => reply.status() === 200 && isFiltered(reply.url()))
      const styled = page.waitForResponse((reply) => /style\.json\?.*style=generic/.test(reply.url()))
      await page.goto(`${server.url}${path}`)
      await Promise.all([tile, styled, page.waitForSelector(drawn)])
    }
    assert.deepEqual(shown.faults, [])
  })

  it('are sound at each width, light and dark', async (t) => {
    for (const number of [1, 2, 3])
      await saveMap({
        name: `map-${number}`,
        title: `Karte ${number} mit einem recht langen Titel`,
        layers: [],
      })
    const shown = await showPages(t, server, { locale: 'de' })
    await shown.signIn('/app/maps')
    await shown.page.getByText('Karte 3').waitFor()
    await expectSoundIn(shown, 'maps', [
      [1440, 'light'],
      [768, 'dark'],
      [390, 'dark'],
    ])
  })
})
