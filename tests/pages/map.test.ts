import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { patience } from '../support/until.ts'
import { closeBrowser, showPages, startPageServer } from './support/shown-pages.ts'
import { expectSoundIn } from './support/states.ts'

const path = '/app/map?layers=default:countries,default:boundary_lines'
const drawn = '.canvas[data-drawn=yes]'

describe('the map of layers', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  it('draws them on the background, tells values at a click and by keyboard, and asks nothing elsewhere', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn(path)
    const { page } = shown
    await page.waitForSelector(drawn)
    await page.focus('canvas')
    for (const _ of [1, 2]) await page.click('[aria-label=Nearer]')
    await page.focus('canvas')
    for (const hasTime = patience(); hasTime() && (await page.locator('.values').count()) === 0; ) {
      await page.keyboard.press('Enter')
      await page.keyboard.press('ArrowRight')
      await page.waitForTimeout(400)
    }
    await page.waitForSelector('.values >> text=countries')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.values', { state: 'detached' })
    assert.match(await page.locator('.scale').innerText(), /km/)
    assert.deepEqual(shown.faults, [])
  })

  it('is sound at each width, light and dark', async (t) => {
    const shown = await showPages(t, server, { locale: 'de' })
    await shown.signIn(path)
    await shown.page.waitForSelector(drawn)
    await expectSoundIn(shown, 'map', [
      [1440, 'light'],
      [768, 'dark'],
      [390, 'dark'],
    ])
  })
})
