import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { closeBrowser, showPages, startPageServer } from './support/shown-pages.ts'

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
    for (let turn = 0; turn < 10 && (await page.locator('.values').count()) === 0; turn += 1) {
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

  const views = [
    [1440, 'light'],
    [768, 'dark'],
    [390, 'dark'],
  ] as const
  for (const [width, colorScheme] of views)
    it(`has no violation of axe and is not wider than ${width} pixels, ${colorScheme}`, async (t) => {
      const shown = await showPages(t, server, { width, colorScheme, locale: 'de' })
      await shown.signIn(path)
      await shown.page.waitForSelector(drawn)
      const shots = process.env['PAGE_SHOTS']
      if (shots !== undefined)
        await shown.page.screenshot({ path: `${shots}/map-${width}-${colorScheme}.png` })
      assert.deepEqual(await shown.violations(), [])
      assert.deepEqual(await shown.wide(), [])
      assert.deepEqual(shown.faults, [])
    })
})
