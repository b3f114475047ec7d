import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser, showPages, startPageServer } from './support/shown-pages.ts'
import { expectSound } from './support/states.ts'

const path = '/app/layers/default:countries'
const drawn = '.canvas[data-drawn=yes]'

describe('the page of a layer', async () => {
  const server = await startPageServer({ after })
  after(closeBrowser)

  it('shows the layer on the background map, and what stands at a place, by pointer and by keys', async (t) => {
    const shown = await showPages(t, server)
    await shown.signIn(path)
    const { page } = shown
    await page.waitForSelector(drawn)
    await expectSound(shown, 'layer-1440-light')
    await clickInAfrica(page)
    await page.waitForSelector('.values >> text=SOVEREIGNT')
    await expectSound(shown, 'layer-values-1440-light')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.values', { state: 'detached' })
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    assert.deepEqual(shown.faults, [])
  })

  const views = [
    [768, 'dark'],
    [390, 'dark'],
    [390, 'light'],
  ] as const
  for (const [width, colorScheme] of views)
    it(`is sound at ${width} pixels, ${colorScheme}`, async (t) => {
      const shown = await showPages(t, server, { width, colorScheme, locale: 'de' })
      await shown.signIn(path)
      await shown.page.waitForSelector(drawn)
      await expectSound(shown, `layer-${width}-${colorScheme}`)
      await clickInAfrica(shown.page)
      await shown.page.waitForSelector('.values >> text=SOVEREIGNT')
      await expectSound(shown, `layer-values-${width}-${colorScheme}`)
    })
})

/** Down the middle of a map of the world, until something is there. */
async function clickInAfrica(page: Page): Promise<void> {
  const canvas = page.locator('.lay-map canvas')
  const { width = 0, height = 0 } = (await canvas.boundingBox()) ?? {}
  for (let share = 0.4; share < 0.8; share += 0.05) {
    await canvas.click({ position: { x: width * 0.54, y: height * share } })
    await page.waitForTimeout(100)
    if ((await page.locator('.values').count()) > 0) return
  }
}
