import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { closeBrowser, password, showPages, startPageServer } from './support/shown-pages.ts'
import { expectSound } from './support/states.ts'

const path = '/app/layers/default:countries/style'

describe('the style of a layer', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)
  interface Answer {
    layer: { version: number; defaultStyle: { name: string } }
    layers: { filter: unknown[] }[]
  }
  const ask = async (address: string): Promise<Answer> => {
    const headers = { authorization: `Basic ${btoa(`admin:${password}`)}` }
    return (await fetch(server.url + address, { headers })).json() as Promise<Answer>
  }

  it('is edited from one symbol to classes with own limits and labels, and saved as a version', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    await shown.signIn(path)
    await page.waitForSelector('.style-page .maplibregl-canvas')
    const before = (await ask('/rest/layers/default:countries')).layer
    await page.click('text=Classes')
    await page.getByLabel('By', { exact: true }).selectOption('POP_EST')
    await page.waitForSelector('[role=slider]')
    await page.getByLabel('Limits').selectOption('natural')
    await page.getByText('All values are looked at').waitFor({ state: 'detached' })
    const handle = page.getByRole('slider', { name: 'Limit 2' })
    const first = Number(await handle.getAttribute('aria-valuenow'))
    await handle.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowRight')
    const moved = Number(await handle.getAttribute('aria-valuenow'))
    assert.ok(moved > first, `${moved} is not beyond ${first}`)
    await page.getByRole('switch', { name: 'Labels' }).check()
    await page.getByLabel('From', { exact: true }).selectOption('NAME')
    await page.waitForSelector('.canvas[data-drawn=yes], .maplibregl-canvas')
    await expectSound(shown, 'style-classes-1440-light')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForSelector('text=The style is saved')
    const after = (await ask('/rest/layers/default:countries')).layer
    assert.equal(after.defaultStyle.name, 'countries')
    assert.ok(after.version > before.version)
    const { layers } = await ask('/tiles/default:countries/style.json')
    assert.deepEqual(layers[2]?.filter, [
      'all',
      ['>', ['get', 'POP_EST'], layers[0]?.filter[2]],
      ['<=', ['get', 'POP_EST'], moved],
    ])
    await page.reload()
    await page.waitForSelector('[role=slider]')
    assert.equal(Number(await handle.getAttribute('aria-valuenow')), moved)
    await page.waitForTimeout(4000)
    await expectSound(shown, 'style-saved-1440-light')
  })
})
