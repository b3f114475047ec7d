import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { closeBrowser, password, showPages, startPageServer } from '../../pages/support/shown-pages.ts'
import { expectSound, expectSoundIn } from '../../pages/support/states.ts'

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
    await page.getByText('Reading all values').waitFor({ state: 'detached' })
    const handle = page.getByRole('slider', { name: 'Limit 2' })
    const first = Number(await handle.getAttribute('aria-valuenow'))
    await handle.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowRight')
    const moved = Number(await handle.getAttribute('aria-valuenow'))
    assert.ok(moved > first, `${moved} is not beyond ${first}`)
    await page.getByRole('switch', { name: 'Labels' }).check()
    await page.getByLabel('From', { exact: true }).selectOption('NAME')
    await page.waitForSelector('.canvas[data-drawn=yes]')
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
    await page.waitForSelector('.canvas[data-drawn=yes]')
    await expectSound(shown, 'style-saved-1440-light')
  })

  it('comes in as SLD, under no hostile name, is renamed, used and removed; limits are dragged', async (t) => {
    const shown = await showPages(t, server)
    const { page } = shown
    const name = '<b onclick="alert(1)">ä&amp; مرحبا'
    await shown.signIn(`${path}?style=countries`)
    await page.waitForSelector('[role=slider]')
    const handle = page.getByRole('slider', { name: 'Limit 1' })
    const box = await handle.boundingBox()
    const first = Number(await handle.getAttribute('aria-valuenow'))
    assert.ok(box)
    await page.mouse.move(box.x + 12, box.y + 66)
    await page.mouse.down()
    await page.mouse.move(box.x + 22, box.y + 66, { steps: 8 })
    await page.mouse.up()
    assert.ok(Number(await handle.getAttribute('aria-valuenow')) > first)
    await page.getByRole('button', { name: 'Discard' }).click()
    assert.equal(Number(await handle.getAttribute('aria-valuenow')), first)
    const headers = { authorization: `Basic ${btoa(`admin:${password}`)}` }
    const sld = await (
      await fetch(`${server.url}/rest/workspaces/default/styles/countries.sld`, { headers })
    ).text()
    await page.getByLabel('Paste a style of another program').fill(sld)
    await page.getByLabel('Name of the new style').fill(name)
    await page.getByRole('button', { name: /^Add SLD as/ }).click()
    await page.getByText('is not valid: letters, digits').waitFor()
    await page.getByLabel('Name of the new style').fill('imported')
    await page.getByRole('button', { name: /^Add SLD as/ }).click()
    await page.getByRole('button', { name: 'Look at it' }).click()
    await page.getByRole('button', { name: 'Use for this layer' }).click()
    await page.waitForSelector('.styl .tag >> text=in use')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Name', { exact: true }).fill('renamed')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.waitForURL(/style=renamed/)
    assert.equal((await ask('/rest/layers/default:countries')).layer.defaultStyle.name, 'renamed')
    await page.goto(`${server.url}${path}?style=countries`)
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.waitForURL(/style=renamed/)
    assert.deepEqual(shown.faults, [])
  })

  it('is not written over what another editor has saved meanwhile, unless a person says so', async (t) => {
    const [mine, theirs] = [await showPages(t, server), await showPages(t, server)]
    const color = (shown: typeof mine) => shown.page.locator('.styl input[type=color]').first()
    const saved = async (): Promise<string> => JSON.stringify(await ask(`/tiles/${layer}/style.json`))
    const layer = 'default:boundary_lines'
    const own = '/app/layers/default:boundary_lines/style'
    for (const { signIn, page } of [mine, theirs]) {
      await signIn(own)
      await page.waitForSelector('.canvas[data-drawn=yes]')
    }
    await color(theirs).fill('#112233')
    await theirs.page.getByRole('button', { name: 'Save' }).click()
    await theirs.page.getByText('The style is saved').waitFor()
    await mine.page.reload()
    await mine.page.waitForSelector('.canvas[data-drawn=yes]')
    await color(mine).fill('#445566')
    await color(theirs).fill('#778899')
    await theirs.page.getByRole('button', { name: 'Save' }).click()
    await theirs.page.locator('.styl .tag >> text=not saved').waitFor({ state: 'detached' })
    await mine.page.getByRole('button', { name: 'Save', exact: true }).click()
    await mine.page.getByText('Another user has saved this style').waitFor()
    assert.equal(await color(mine).inputValue(), '#445566')
    assert.match(await saved(), /#778899/)
    await expectSound(mine, 'style-meanwhile-1440-light')
    await mine.page.getByRole('button', { name: 'Save mine in its place' }).click()
    await mine.page.locator('.styl .tag >> text=not saved').waitFor({ state: 'detached' })
    assert.match(await saved(), /#445566/)
  })

  it('is sound on a tablet and a phone', async (t) => {
    const shown = await showPages(t, server, { width: 768, colorScheme: 'dark', locale: 'de' })
    await shown.signIn(path)
    await shown.page.waitForSelector('[role=slider]')
    await shown.page.waitForSelector('.canvas[data-drawn=yes]')
    await expectSoundIn(shown, 'style', [
      [768, 'dark'],
      [390, 'dark'],
    ])
  })
})
